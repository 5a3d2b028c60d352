package tmux

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Action is what a Submit does next.
type Action int

// The actions.
const (
	Wait  Action = iota // look again, at most 50 ms later
	Paste               // paste the text; before that only
	Press               // press the key: after the paste, or once more after the key
	Done                // the program has taken the text
	Stop                // give up, for the step's Reason
)

// Step is an action, for Wait how long at most, and for Stop its reason.
type Step struct {
	Do     Action
	For    time.Duration // until the next look; 0 leaves that to Submit
	Reason Refusal
	Detail string // the reason in words
}

// Moment is what a Submit knows when it asks for the next step.
type Moment struct {
	Phase  Phase  // Unknown before the paste
	Again  bool   // the key was pressed a second time
	Screen Screen // the terminal now; zero before the paste
}

// Phase is how far a text provably got. The zero value proves nothing: the text may
// have been pasted or not, see PaneInfo.Seq and Phase.
type Phase int

// The phases, in the order in which they are reached.
const (
	Unknown Phase = iota
	Refused       // nothing was typed
	Pasted        // the text went to the program; the key did not
	Entered       // text and key went to the program, which may not have read them
	Taken         // Submission.Next said Done
)

func (p Phase) String() string {
	return [...]string{"unknown", "refused", "pasted", "entered", "taken"}[p]
}

// The values of PaneInfo.Phase.
const (
	PanePasted       = "pasted"
	PaneEntered      = "entered"
	PaneEnteredAgain = "entered-again"
)

// PanePhase returns how far the pane remembers that the text got: PaneInfo.Phase.
func (o Outcome) PanePhase() string {
	switch {
	case o.Phase < Pasted:
		return ""
	case o.Phase == Pasted:
		return PanePasted
	case o.Again:
		return PaneEnteredAgain
	}
	return PaneEntered
}

// Refusal says why a Submit stopped before the end.
type Refusal string

// The reasons of an Outcome. tmux decides the first nine and Changed itself, in the same
// step as the typing that they prevent; the others are for Submission.Next.
const (
	NoRefusal Refusal = ""
	Gone      Refusal = "gone"      // no such pane
	Dead      Refusal = "dead"      // the program has ended
	InputOff  Refusal = "input-off" // the pane takes no input (select-pane -d)
	InMode    Refusal = "in-mode"   // a person scrolls or chooses
	Shared    Refusal = "shared"    // the key would go to other panes too (synchronize-panes)
	Foreign   Refusal = "foreign"   // the pane has another owner
	Repeated  Refusal = "repeated"  // this sequence number or a later one was typed before
	Touched   Refusal = "touched"   // a person has pressed a key since Submission.Untouched
	NotShown  Refusal = "not-shown" // the text did not show, or the screen did not settle, in time
	Blocked   Refusal = "blocked"   // something opened in front of the text
	NotReady  Refusal = "not-ready" // the agent is not to be typed to any more
	NotTaken  Refusal = "not-taken" // the program did not take the text in time
	Changed   Refusal = "changed"   // the screen does not show what was seen before, see Pane.Press
)

// Key is a key that submits.
type Key string

// The keys that Submit presses.
const (
	Enter Key = "Enter"
	Tab   Key = "Tab"
)

// Submission is one text to type, the key to press after it, and the conditions for
// both.
type Submission struct {
	Owner string // the owner that the pane must have
	Seq   uint64 // 1 to 2^53, rising for each pane; a lower or equal one is refused
	Text  string // UTF-8 without control characters except LF and TAB; no LF where programs do not frame pastes
	Key   Key    // default Enter

	// On is the Instance of the server that the pane is on, "" for any: a new server
	// gives the same pane ids again.
	On string

	// Resume goes on with a text that was pasted at this Seq before a crash, starting
	// with the look before the key.
	Resume bool

	// LeaveMode takes a person out of copy mode. By default Submit refuses then, or
	// waits if the text is pasted already.
	LeaveMode bool

	// Untouched, if set, withholds paste and key if a person who views the pane has
	// pressed a key since then, in whole seconds: their text and ours would become one.
	// A screen that shows only our text does not disprove that, since programs draw
	// late. To attach counts as a key, see [Screen.Touched].
	Untouched time.Time

	// Ahead, if set, is the time of a key pressed before Untouched, whose time is later because the clock was set
	// back after it: see [Screen.Ahead].
	Ahead time.Time

	// View says how to read the screens that Next is given.
	View ScreenOptions

	// Next decides on each step: before the paste, and then after each look at the
	// screen, 20 times a second. While a person is in a mode the key is not pressed, and
	// Next is asked again. From the key until the end, for 5 s at most, keys that a person
	// types into the pane wait, except on a joined server.
	//
	// nil: text and key go in one step, without a look, and Submit ends at Entered.
	Next func(Moment) Step

	// OnPasted and OnEntered, if set, are called when tmux has acknowledged the fact.
	OnPasted, OnEntered func()
}

// Outcome says how far a Submission got, and why no further.
type Outcome struct {
	Phase  Phase
	Reason Refusal  // "" if it got as far as was asked
	Detail string   // Reason in words
	Again  bool     // the key was pressed a second time
	Screen []string // last screen seen, one string a row

	// KeysWait says that a person's keys may go on waiting: tmux did not acknowledge that they were let go.
	// ReleaseKeys does that.
	KeysWait bool

	// When tmux acknowledged the paste, and the last key. Zero if it did not, or not in this call.
	PastedAt, EnteredAt time.Time
}

// A pane's progress is the number of the last message and how far that got: 5.1. tmux
// records it in the same step as the typing. It is a number because tmux compares whole
// numbers and ignores what follows the point.
//
// On parley's own server it is a hidden variable of the global environment, which no
// program inherits. An option of the pane costs the server three times as much, since for
// each option it looks at every window. The server never gives a pane's id again, so what
// is left of a pane that has gone does no harm. On a joined server it is an option of the
// pane, which dies with it: nothing of parley's stays behind there.

// seqVariable returns the name of the variable for a pane, such as PARLEY_SEQ_12.
func seqVariable(pane string) string { return "PARLEY_SEQ_" + strings.TrimPrefix(pane, "%") }

// record returns the command that records a pane's progress.
func record(pane string, joined bool, progress string) string {
	if joined {
		return "set-option -p -t " + pane + " " + seqOption + " " + progress
	}
	return "set-environment -gh " + seqVariable(pane) + " " + progress
}

// forget returns the command that removes the record. The option may be there too, see
// progressFormat.
func forget(pane string, joined bool) string {
	option := "set-option -p -u -t " + pane + " " + seqOption
	if joined {
		return option
	}
	return option + " ; set-environment -gu " + seqVariable(pane)
}

// progressFormat returns the format of a pane's progress. Versions up to 0.9 recorded it in
// the option everywhere.
func progressFormat(pane string, joined bool) string {
	if joined {
		return "#{" + seqOption + "}"
	}
	name := seqVariable(pane)
	return "#{?" + name + ",#{" + name + "},#{" + seqOption + "}}"
}

// phases lists the recorded phases by their digit.
var phases = [...]string{"", PanePasted, PaneEntered, PaneEnteredAgain}

// formatProgress returns what is recorded: the sequence number, a point, and the digit of the phase.
func formatProgress(seq uint64, phase string) string {
	return strconv.FormatUint(seq, 10) + "." + strconv.Itoa(slices.Index(phases[:], phase))
}

// parseProgress is the reverse of formatProgress. Anything else, such as the empty
// record of a pane that was never typed to, is 0 and "".
func parseProgress(record string) (seq uint64, phase string) {
	number, digit, _ := strings.Cut(record, ".")
	seq, _ = strconv.ParseUint(number, 10, 64)
	if n, err := strconv.Atoi(digit); err == nil && n > 0 && n < len(phases) {
		phase = phases[n]
	}
	return seq, phase
}
