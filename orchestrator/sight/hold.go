package sight

import (
	"fmt"
	"strconv"
	"time"

	"parley"
	"parley/tmux"
)

// Hold is why nothing may be typed now. The zero value lets a message go.
type Hold struct {
	parley.Cause
	Only  bool   // nothing else is in the way: the composer is open and empty
	Draft string // that stands in the composer, once the screen has rested as long as for a message
}

// Held returns a hold of a code, with its detail.
func Held(code parley.ReasonCode, detail string) Hold { return Hold{Cause: code.With(detail)} }

// With returns the same with words around those that it has.
func (h Hold) With(before, after string) Hold {
	h.Cause = h.Code().In(before + h.Words() + after)
	return h
}

// None reports whether the way is free.
func (h Hold) None() bool { return h.Code() == "" }

// Brief reports whether the obstacle is expected to pass by itself. It is shown only
// when it does not.
func (h Hold) Brief() bool { return h.Code().Brief() }

// Composed reports whether something stands in the composer.
func (h Hold) Composed() bool { return h.Code().InComposer() }

// Working reports whether the program only works, with its composer open.
func (h Hold) Working() bool { return h.Only && h.Code().LastsWith(parley.StateBusy) }

// Blocked reports whether the program refuses to work, and says why.
func (h Hold) Blocked() bool { return h.Code().LastsWith(parley.StateBlocked) }

// Facts is what is known of an agent's terminal without a look at its screen.
type Facts struct {
	LeaseOver  bool // this daemon may not be the host any more
	Pause      *parley.Pause
	Spent      string // why a budget holds what comes
	Agent      parley.Agent
	Launched   bool // it has a terminal
	Stopping   bool
	SameServer bool

	Ask       func() (tmux.Reader, error) // reads the next two; nil: they are known. Slow without /proc
	Reader    tmux.Reader                 // of the terminal
	untold    error                       // why that is not known
	Takes     func(tmux.Reader) bool      // what reads may be typed to
	Adopted   bool
	Unmatched func() bool // the profile is for another program; nil: that is not known
	Alive     bool        // the process that was launched or adopted
	Unread    int         // bytes in the terminal that the program has not read
}

// Hold returns what stands in the way, as far as the facts tell.
func (f *Facts) Hold() Hold {
	switch {
	case f.LeaseOver:
		return Held(parley.HoldLease, "")
	case f.Pause != nil:
		return Held(parley.HoldPaused, f.Pause.Words())
	case !f.Launched:
		return f.noTerminal()
	case f.Spent != "":
		return Held(parley.HoldBudget, f.Spent)
	case f.Stopping:
		return Held(parley.HoldStopping, "")
	case !f.SameServer:
		return Held(parley.HoldServerGone, "")
	}

	if h := f.OtherProgram(); !h.None() {
		return h
	}
	if !f.Alive { // tmux may not know it yet
		return Held(parley.HoldExited, Comeback(&f.Agent))
	}
	if f.Unmatched != nil && f.Unmatched() { // until the watcher has changed the profile
		return Held(parley.HoldStarting, "")
	}
	if f.Unread > 0 { // it would get two messages as one, and nothing could be proven
		return Held(parley.HoldNotReading, strconv.Itoa(f.Unread))
	}
	return Hold{}
}

func (f *Facts) noTerminal() Hold {
	a := &f.Agent
	switch a.State {
	case parley.StateTerminated:
		return Held(parley.HoldStopped, Comeback(a))
	case parley.StateExited:
		return Held(parley.HoldExited, a.Evidence+"; "+Comeback(a))
	case parley.StateUnreachable:
		return Held(parley.HoldUnreachable, a.Evidence+"; "+Comeback(a))
	}
	return Held(parley.HoldNoTerminal, "")
}

// Comeback says what delivers the messages of an agent whose program has ended.
func Comeback(a *parley.Agent) string {
	if a.Adopted() {
		return fmt.Sprintf("its program, started again in its pane, gets what waits, or another one: "+
			"parley adopt %s --pane ID", a.Name)
	}
	return fmt.Sprintf("parley restart %s delivers what waits", a.Name)
}

const (
	// TypingPause is how long after a person's last key in a terminal it is theirs.
	// tmux tells the time of that key in whole seconds.
	TypingPause = 3 * time.Second
	// UnshownPause is the same while nothing was drawn since that key: a program that is
	// busy shows late what it was given. Copilot took more than two seconds on a machine
	// that had ten things to do at once.
	UnshownPause = 10 * time.Second
	// lagFactor is how many times as long as our own text a person's may take to be shown.
	lagFactor = 3
)

// Touched holds while a person types in the terminal: their text and ours would become
// one. lag is how long the program took to show what it was given last: one that is behind
// shows late what the person typed, too.
func Touched(now time.Time, screen tmux.Screen, lag time.Duration) Hold {
	pause := min(max(TypingPause, lagFactor*lag), UnshownPause)
	switch since := now.Sub(screen.Touched); {
	case screen.Touched.IsZero():
		return Hold{}
	case since <= pause:
		return Held(parley.HoldPersonTyping, "")
	case since <= UnshownPause && screen.Drawn.Before(screen.Touched):
		return Held(parley.HoldKeysUnshown, "")
	}
	return Hold{}
}
