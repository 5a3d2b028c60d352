package tmux

import "time"

// Look is a caller's verdict on a screen.
type Look int

// The verdicts.
const (
	Wait Look = iota // not yet: look again
	Yes              // the screen shows what was looked for
	Stop             // something is in the way, such as a dialog: press no key
)

// Phase is how far a text provably got. The zero value proves nothing: the text may
// have been pasted or not, see PaneInfo.Seq and Phase.
type Phase int

// The phases, in the order in which they are reached.
const (
	Unknown Phase = iota
	Refused       // nothing was typed
	Pasted        // the text went to the program; the key did not
	Entered       // text and key went to the program, which may not have read them
	Taken         // Submission.Taken said Yes
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

// The reasons of an Outcome. tmux decides the first nine itself, in the same step as
// the typing that they prevent.
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
	// late.
	Untouched time.Time

	// Ready is called right before the paste, right before the key, and while a
	// person's mode delays the key. An error withholds both. nil: always ready.
	Ready func() error

	// View says how to read the screens passed to Shown, Steady, Taken and Stuck.
	View ScreenOptions

	// Shown is called 20 times a second between paste and key, until it says Yes.
	// nil: do not look.
	Shown func(Screen) Look

	// Settle is how long the screen must be quiet after Shown said Yes, before the
	// key. With 0 the key follows at once; if Shown is nil too, it follows without a
	// look, in the same step as the paste.
	Settle time.Duration

	// Steady picks the part of a screen that must be quiet, for programs that are
	// never still elsewhere. nil: all of it, and the cursor.
	Steady func(Screen) string

	// ShowWithin bounds looks and rest together; after it the key is not pressed.
	// Default 10 s. It starts again after a person has left a mode.
	ShowWithin time.Duration

	// Taken is called 20 times a second after the key, until it says Yes. nil: Submit
	// ends at Entered. Until it says Yes, for 5 s at most, keys that a person types
	// into the pane wait, except on a joined server.
	Taken       func(Screen) Look
	TakenWithin time.Duration // default 10 s

	// Stuck reports whether Text provably stands unsent in the composer of a settled
	// screen. It is first called StuckAfter (default 5 s) after the key. If it is true
	// the key is pressed once more, never twice. nil: never again. Needs Taken.
	Stuck      func(Screen) bool
	StuckAfter time.Duration

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

	// When tmux acknowledged each fact. Zero if it did not, or not in this call.
	PastedAt, EnteredAt, TakenAt time.Time
}
