package courier

import (
	"cmp"
	"fmt"
	"strings"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

// Of a program without markers it is not known where it takes messages. A text is typed only while something reads
// the terminal, and only where messages belong: see profile.PlaceOf. Everything else is for the operator to say,
// once for each program and place.

// spot is where a text would be typed into a program without markers, and why it is not. The zero value lets it go.
type spot struct {
	at      profile.Place
	shown   bool   // the cursor shows it
	program string // that has the terminal
	word    bool   // only the operator's word lets it go
	leads   bool   // it may be a launcher, which gives its terminal to another program
	code    parley.ReasonCode
}

// spotOn looks where a text would be typed, and whether that is read there.
func spotOn(h terminalHost, t *team.Terminal, screen *tmux.Screen) spot {
	var s spot
	s.at, s.shown = profile.PlaceOf(ScreenOf(*screen))
	argv, err := h.Leader(t)
	if err != nil {
		return s // what has the terminal is not known, and facts say so where that matters
	}

	s.program = profile.ProgramOf(argv)
	passesOn := t.Profile.Name == profile.Default && profile.Relays(argv)
	if passesOn {
		s.program = parley.Truncate(strings.Join(argv, " "), relayLength)
	}
	settled := t.Places.Has(s.program, s.at)
	s.leads = t.Known != nil && !settled && !screen.AltScreen && profile.MayLaunch(argv)

	switch reads := readsOf(h, t, argv); {
	case reads == tmux.ReadsNot:
		s.code = parley.HoldNoReader
	case settled:
		s.word = s.at.New && !t.HasTaken(s.at)
	case passesOn, s.at.New && !t.HasTaken(s.at), reads == tmux.ReadsUnknown && s.at.Words == "":
		s.code = parley.HoldNewPlace
	}

	return s
}

// relayLength is how much of the command line tells a program that passes on what is typed.
const relayLength = 200

// readsOf returns whether something reads a terminal. One that is read byte by byte is, by the program that made it
// so. Where the system does not tell, a program that may only be about to start another one is in doubt.
func readsOf(h terminalHost, t *team.Terminal, argv []string) tmux.Reads {
	if mode := ttyModeOf(h, t); !mode.known || !mode.canonical {
		return tmux.ReadsInput
	}
	reads, err := h.Reads(t)
	switch {
	case err == nil:
		return reads
	case profile.MayStart(argv):
		return tmux.ReadsUnknown
	}
	return tmux.ReadsInput
}

// hold says why nothing may be typed there.
func (s *spot) hold() hold {
	if s.code == "" {
		return hold{}
	}
	return held(s.code, s.quoted())
}

// words returns what stands there.
func (s *spot) words() string {
	return parley.Truncate(cmp.Or(s.at.Words, s.at.Above), parley.PreviewLength)
}

func (s *spot) quoted() string {
	if s.words() == "" {
		return ""
	}
	return fmt.Sprintf(": “%s”", s.words())
}

// NewPlace returns the place at the cursor of a program without markers, and the program, if messages may not belong
// there. The words say what stands there.
func NewPlace(t *team.Terminal, screen tmux.Screen) (at profile.Place, program, words string, isNew bool) {
	if t.Profile.HasMarkers() {
		return profile.Place{}, "", "", false
	}
	s := spotOn(machine{}, t, &screen)
	return s.at, s.program, cmp.Or(s.words(), "an empty line of "+s.program), s.code == parley.HoldNewPlace
}
