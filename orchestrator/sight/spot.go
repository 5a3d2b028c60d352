package sight

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// Of a program without markers it is not known where it takes messages. A text is typed only while a program reads
// the terminal of which the operator has said that it takes messages, and only where it does not ask something: see
// profile.PlaceOf. Everything else is for the operator to say.

// Spot is where a text would be typed into a program without markers, and why it is not. The zero value lets it go.
type Spot struct {
	At     profile.Place
	IsNew  bool // the operator has not said that messages belong there
	Reader tmux.Reader
	Code   parley.ReasonCode
}

// SpotOn looks where a text would be typed, and who reads that.
func SpotOn(h Host, t *team.Terminal, screen *tmux.Screen) Spot {
	s := Spot{At: profile.PlaceOf(ScreenOf(*screen), t.Profile)}
	r, err := h.Reader(t, time.Now())
	if errors.Is(err, errors.ErrUnsupported) {
		return s // facts say so where that matters
	}
	if err != nil {
		s.Code = parley.HoldNoReader
		return s
	}

	s.Reader = r
	s.IsNew = (s.At.New || t.HasMoved(s.At)) && (s.At.ID() == "" || !t.Places.Has(team.ProgramID(r.Program), s.At))
	lines := TTYModeOf(h, t)
	switch {
	case r.PID == 0, lines.Known && lines.Canonical && r.Waits == tmux.ReadsNot:
		s.Code = parley.HoldNoReader
	case !t.Takes(r):
		s.Code = strange(r)
	case s.IsNew:
		s.Code = parley.HoldNewPlace
	}
	return s
}

// Hold says why nothing may be typed there.
func (s *Spot) Hold() Hold {
	switch {
	case s.Code == "":
		return Hold{}
	case s.Code.OtherReads():
		return Held(s.Code, nameOf(s.Reader.Program))
	}
	return Held(s.Code, s.quoted())
}

// words returns what stands there.
func (s *Spot) words() string {
	return plain.Truncate(cmp.Or(s.At.Above, s.At.Words), parley.PreviewLength)
}

func (s *Spot) quoted() string {
	if s.words() == "" {
		return ""
	}
	return fmt.Sprintf(": “%s”", s.words())
}

// Unsettled is what only the operator can say of a terminal: whether the program that reads it takes messages, or
// whether they belong where its cursor stands.
type Unsettled struct {
	Reader  tmux.Reader
	Program string // the same, as the word counts for it
	At      profile.Place
	Words   string // what it is about, for people
	IsNew   bool   // he has not said it
	AtPlace bool   // the words name the place, so that an answer is of it too
}

// UnsettledOn returns that of a terminal.
func UnsettledOn(t *team.Terminal, screen tmux.Screen) Unsettled {
	s := SpotOn(NewMachine(), t, &screen)
	u := Unsettled{Reader: s.Reader, Program: team.ProgramID(s.Reader.Program), At: s.At}
	switch {
	case s.Code == parley.HoldOtherProgram:
		u.Words, u.IsNew, u.AtPlace = fmt.Sprintf("Does %s take messages", shortLine(s.Reader.Program)), true, s.At.New
		if u.AtPlace {
			u.Words += " at" + cmp.Or(strings.TrimPrefix(s.quoted(), ":"), " an empty line")
		}
		u.Words += "?"
	case s.Code == parley.HoldNewPlace && !t.Profile.HasMarkers():
		u.Words, u.IsNew = cmp.Or(s.words(), "an empty line of "+shortLine(s.Reader.Program)), true
		u.AtPlace = true
	}
	return u
}
