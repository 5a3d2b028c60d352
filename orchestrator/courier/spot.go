package courier

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

// spot is where a text would be typed into a program without markers, and why it is not. The zero value lets it go.
type spot struct {
	at     profile.Place
	isNew  bool // the operator has not said that messages belong there
	reader tmux.Reader
	code   parley.ReasonCode
}

// spotOn looks where a text would be typed, and who reads that.
func spotOn(h terminalHost, t *team.Terminal, screen *tmux.Screen) spot {
	s := spot{at: profile.PlaceOf(ScreenOf(*screen), t.Profile)}
	r, err := h.Reader(t, time.Now())
	if errors.Is(err, errors.ErrUnsupported) {
		return s // facts say so where that matters
	}
	if err != nil {
		s.code = parley.HoldNoReader
		return s
	}

	s.reader = r
	s.isNew = (s.at.New || t.HasMoved(s.at)) && (s.at.ID() == "" || !t.Places.Has(team.ProgramID(r.Program), s.at))
	lines := ttyModeOf(h, t)
	switch {
	case r.PID == 0, lines.known && lines.canonical && r.Waits == tmux.ReadsNot:
		s.code = parley.HoldNoReader
	case !t.Takes(r):
		s.code = strange(r)
	case s.isNew:
		s.code = parley.HoldNewPlace
	}
	return s
}

// hold says why nothing may be typed there.
func (s *spot) hold() hold {
	switch {
	case s.code == "":
		return hold{}
	case s.code.OtherReads():
		return held(s.code, nameOf(s.reader.Program))
	}
	return held(s.code, s.quoted())
}

// words returns what stands there.
func (s *spot) words() string {
	return plain.Truncate(cmp.Or(s.at.Above, s.at.Words), parley.PreviewLength)
}

func (s *spot) quoted() string {
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
	s := spotOn(NewMachine(), t, &screen)
	u := Unsettled{Reader: s.reader, Program: team.ProgramID(s.reader.Program), At: s.at}
	switch {
	case s.code == parley.HoldOtherProgram:
		u.Words, u.IsNew, u.AtPlace = fmt.Sprintf("Does %s take messages", shortLine(s.reader.Program)), true, s.at.New
		if u.AtPlace {
			u.Words += " at" + cmp.Or(strings.TrimPrefix(s.quoted(), ":"), " an empty line")
		}
		u.Words += "?"
	case s.code == parley.HoldNewPlace && !t.Profile.HasMarkers():
		u.Words, u.IsNew = cmp.Or(s.words(), "an empty line of "+shortLine(s.reader.Program)), true
		u.AtPlace = true
	}
	return u
}
