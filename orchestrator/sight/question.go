package sight

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

// Question is what a terminal asks. The zero value asks nothing.
type Question struct {
	Code  parley.ReasonCode
	words string // as it stands there; "" when only the terminal's mode tells
}

// None reports whether nothing is asked.
func (q Question) None() bool { return q.Code == "" }

// QuestionOf returns what a terminal asks whose screen asks that, and which hides what is typed or
// does not.
func QuestionOf(asked profile.Question, hides bool) Question {
	switch {
	case hides, asked.For == profile.Secret:
		return Question{parley.HoldSecret, asked.Words}
	case asked.For != "":
		return Question{parley.HoldQuestion, asked.Words}
	}
	return Question{}
}

// Hold says why nothing may be typed.
func (q Question) Hold() Hold {
	if q.None() {
		return Hold{}
	}
	return Held(q.Code, q.quoted())
}

// evidence says the same of the agent's state.
func (q Question) evidence() string {
	if q.Code == parley.HoldSecret {
		return "its terminal asks for something secret" + q.quoted()
	}
	return "its screen asks something" + q.quoted()
}

func (q Question) quoted() string {
	if q.words == "" {
		return ""
	}
	return fmt.Sprintf(": “%s”", q.words)
}

// HidesInput reports whether a terminal takes lines without showing them.
func HidesInput(t *team.Terminal) bool { return hidesInput(NewMachine(), t) }

func hidesInput(h Host, t *team.Terminal) bool {
	if mode := TTYModeOf(h, t); !mode.Known || !mode.Canonical {
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
	if q := QuestionOf(t.Profile.Asks(ScreenOf(screen)), HidesInput(t)); !q.None() {
		return Quiet{State: parley.StateWaiting, Evidence: q.evidence(), Sure: true}
	}
	at := SpotOn(NewMachine(), t, &screen)
	switch code := at.Code; {
	case code == parley.HoldNewPlace:
		return Quiet{parley.StateWaiting, at.Hold().Words(), false, at.Reader}
	case code.OtherReads():
		return Quiet{parley.StateUnknown, at.Hold().Words(), false, at.Reader}
	case code == parley.HoldNoReader:
		if words := Suspended(t); words != "" {
			return Quiet{parley.StateBlocked, words, true, at.Reader}
		}
		return Quiet{parley.StateBusy, "no program reads its terminal now", true, at.Reader}
	}
	return Quiet{parley.StateIdle, "its terminal is quiet", true, at.Reader}
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
