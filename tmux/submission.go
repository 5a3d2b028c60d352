package tmux

import "time"

// Look is what a caller reads off a screen.
type Look int

// The answers to a look.
const (
	Wait Look = iota // not yet: look again
	Yes              // that is it
	Stop             // something is in the way, such as a dialog: do not press
)

// Phase is how far a text provably got. The zero value means that nothing is
// proven: it may have been pasted or not, see PaneInfo.Seq and Phase.
type Phase int

// The phases, in the order in which they are reached.
const (
	Unknown Phase = iota
	Refused       // nothing was typed
	Pasted        // the text went to the program; the key did not
	Entered       // text and key went to the program, which may not have read them
	Taken         // Submission.Taken saw it
)

func (p Phase) String() string {
	return [...]string{"unknown", "refused", "pasted", "entered", "taken"}[p]
}

// The values of PaneInfo.Phase.
const (
	phasePasted  = "pasted"
	phaseEntered = "entered"
	phaseAgain   = "entered-again"
)

// Refusal says why a Submit stopped before the end.
type Refusal string

// The reasons of an Outcome; the first nine are decided inside the server, in the
// same step as the typing that they prevent.
const (
	NoRefusal Refusal = ""
	Gone      Refusal = "gone"      // no such pane
	Dead      Refusal = "dead"      // the program has ended
	InputOff  Refusal = "input-off" // the pane takes no input (select-pane -d)
	InMode    Refusal = "in-mode"   // a person scrolls or chooses
	Shared    Refusal = "shared"    // the key would go to other panes too (synchronize-panes)
	Foreign   Refusal = "foreign"   // the pane is not Owner's
	Repeated  Refusal = "repeated"  // this sequence number or a later one was typed already
	Touched   Refusal = "touched"   // a person has pressed a key since Submission.Untouched
	NotShown  Refusal = "not-shown" // the text did not show, or the screen did not come to rest, in time
	Blocked   Refusal = "blocked"   // a look said Stop
	NotReady  Refusal = "not-ready" // Ready returned an error
	NotTaken  Refusal = "not-taken" // Taken did not say Yes in time
)

// Key is a key that submits.
type Key string

// The keys that Submit presses.
const (
	Enter Key = "Enter"
	Tab   Key = "Tab"
)

// Submission is one text to type, the key to press after it, and when to hold back.
type Submission struct {
	Owner string // what the pane's owner must be
	On    string // the Instance of the server that the pane is on; "": whatever runs now. A new server gives the same pane ids again
	Seq   uint64 // 1 to 2^53, rising for each pane; a lower or equal one is refused
	Text  string // see CheckText; a text without LF is the caller's duty where the program does not frame pastes
	Key   Key    // default Enter

	Resume    bool // the text was pasted at this Seq before a crash: start at the look before the key
	LeaveMode bool // throw the person out of copy mode; default: refuse, or wait when the text is pasted already

	// Untouched, if set, withholds paste and key when a person who is attached and has
	// the pane before them has pressed a key since then, in whole seconds: their text
	// and ours would become one. A screen that shows no more than ours proves nothing
	// there, for programs draw late.
	Untouched time.Time

	// Ready is called right before the paste, again right before the key, and while a
	// person's mode keeps the key waiting; an error withholds. nil: always ready.
	Ready func() error

	// View is what Shown, Taken and Stuck are given.
	View ScreenOptions
	// Shown is asked 20 times a second between paste and key; nil: do not ask.
	Shown func(Screen) Look
	// Settle is how long the screen must be quiet after Shown said Yes, before the
	// key. With 0 the key follows at once; if Shown is nil too, without a look and in
	// the same step as the paste.
	Settle time.Duration
	// Steady picks the part of a screen that must be quiet, for programs that are
	// never still elsewhere; nil: all of it, and the cursor.
	Steady func(Screen) string
	// ShowWithin bounds looks and rest together; after it the key is not pressed.
	// Default 10 s. It starts anew after a person has left a mode.
	ShowWithin time.Duration

	// Taken is asked 20 times a second after the key; nil: Entered is the end. Until it
	// says Yes, for 5 s at most, what a person types into the pane waits, unless the
	// server is joined.
	Taken       func(Screen) Look
	TakenWithin time.Duration // default 10 s

	// Stuck says Yes when Text provably stands unsent in the composer of a settled
	// screen. It is first asked StuckAfter (default 5 s) after the key, and the key is
	// then pressed once more, never twice. nil: never again. Needs Taken.
	Stuck      func(Screen) bool
	StuckAfter time.Duration

	OnPasted, OnEntered func() // nil, or called when the server has acknowledged the fact
}

// Outcome is how far a Submission got and why not further.
type Outcome struct {
	Phase  Phase
	Reason Refusal // "" if it got as far as was asked
	Detail string  // Reason in words
	Again  bool    // the key was pressed a second time
	Screen []string

	PastedAt, EnteredAt, TakenAt time.Time // when each fact was acknowledged; zero if it was not, or not by this call
}
