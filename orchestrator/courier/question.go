package courier

import (
	"fmt"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// Of a program without markers nothing is known but what its terminal tells. What nearly all
// programs share when they ask something is looked for all the same, since a message would be
// the answer: see profile.Asks. And a terminal that edits lines without showing them is asked
// for a secret.

// question is what a terminal asks. The zero value asks nothing.
type question struct {
	code  parley.ReasonCode
	words string // as it stands there; "" when only the terminal's mode tells
}

func (q question) none() bool { return q.code == "" }

// questionOf returns what a terminal asks whose screen asks that, and which hides what is typed or
// does not.
func questionOf(asked profile.Question, hides bool) question {
	switch {
	case hides, asked.For == profile.Secret:
		return question{parley.HoldSecret, asked.Words}
	case asked.For != "":
		return question{parley.HoldQuestion, asked.Words}
	}
	return question{}
}

// hold says why nothing may be typed.
func (q question) hold() hold {
	if q.none() {
		return hold{}
	}
	return held(q.code, q.quoted())
}

// evidence says the same of the agent's state.
func (q question) evidence() string {
	if q.code == parley.HoldSecret {
		return "its terminal asks for something secret" + q.quoted()
	}
	return "its screen asks something" + q.quoted()
}

func (q question) quoted() string {
	if q.words == "" {
		return ""
	}
	return fmt.Sprintf(": “%s”", q.words)
}

// HidesInput reports whether a terminal takes lines without showing them.
func HidesInput(t *team.Terminal) bool { return hidesInput(NewMachine(), t) }

func hidesInput(h terminalHost, t *team.Terminal) bool {
	if mode := ttyModeOf(h, t); !mode.known || !mode.canonical {
		return false
	}
	echo, err := h.Echo(t)
	return err == nil && !echo
}

// Quiet is what a quiet screen of a program without markers says.
type Quiet struct {
	State    parley.AgentState
	Evidence string
	Sure     bool // else it may be what somebody is typing
	Reader   tmux.Reader
}

// ReadQuiet reads it.
func ReadQuiet(t *team.Terminal, screen tmux.Screen) Quiet {
	if q := questionOf(t.Profile.Asks(ScreenOf(screen)), HidesInput(t)); !q.none() {
		return Quiet{State: parley.StateWaiting, Evidence: q.evidence(), Sure: true}
	}
	at := spotOn(NewMachine(), t, &screen)
	switch code := at.code; {
	case code == parley.HoldNewPlace:
		return Quiet{parley.StateWaiting, at.hold().Words(), false, at.reader}
	case code.OtherReads():
		return Quiet{parley.StateUnknown, at.hold().Words(), false, at.reader}
	case code == parley.HoldNoReader:
		if words := Suspended(t); words != "" {
			return Quiet{parley.StateBlocked, words, true, at.reader}
		}
		return Quiet{parley.StateBusy, "no program reads its terminal now", true, at.reader}
	}
	return Quiet{parley.StateIdle, "its terminal is quiet", true, at.reader}
}

// Suspended says that the system has stopped a program since it stands in the background of its terminal, "" if it
// has not.
func Suspended(t *team.Terminal) string {
	argv := tmux.Suspended(t.Leader)
	if argv == nil {
		return ""
	}
	return fmt.Sprintf("%s stands in the background of its terminal, and the system has stopped it: a timeout "+
		"behind another command needs --foreground", profile.ProgramOf(argv))
}
