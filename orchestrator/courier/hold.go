package courier

import (
	"fmt"
	"strconv"
	"time"

	"parley"
	"parley/tmux"
)

// hold is why nothing may be typed now. The zero value lets a message go.
type hold struct {
	parley.Cause
	only  bool   // nothing else is in the way: the composer is open and empty
	draft string // that stands in the composer, once the screen has rested as long as for a message
}

func held(code parley.ReasonCode, detail string) hold { return hold{Cause: code.With(detail)} }

// with returns the same with words around those that it has.
func (h hold) with(before, after string) hold {
	h.Cause = h.Code().In(before + h.Words() + after)
	return h
}

// none reports whether the way is free.
func (h hold) none() bool { return h.Code() == "" }

// brief reports whether the obstacle is expected to pass by itself. It is shown only
// when it does not.
func (h hold) brief() bool { return h.Code().Brief() }

// composed reports whether something stands in the composer.
func (h hold) composed() bool { return h.Code().InComposer() }

// working reports whether the program only works, with its composer open.
func (h hold) working() bool { return h.only && h.Code().LastsWith(parley.StateBusy) }

// blocked reports whether the program refuses to work, and says why.
func (h hold) blocked() bool { return h.Code().LastsWith(parley.StateBlocked) }

// facts is what is known of an agent's terminal without a look at its screen.
type facts struct {
	leaseOver  bool // this daemon may not be the host any more
	pause      *parley.Pause
	spent      string // why a budget holds what comes
	agent      parley.Agent
	launched   bool // it has a terminal
	stopping   bool
	sameServer bool

	ask       func() (tmux.Reader, error) // reads the next two; nil: they are known. Slow without /proc
	reader    tmux.Reader                 // of the terminal
	untold    error                       // why that is not known
	takes     func(tmux.Reader) bool      // what reads may be typed to
	adopted   bool
	unmatched func() bool // the profile is for another program; nil: that is not known
	alive     bool        // the process that was launched or adopted
	unread    int         // bytes in the terminal that the program has not read
}

// hold returns what stands in the way, as far as the facts tell.
func (f *facts) hold() hold {
	switch {
	case f.leaseOver:
		return held(parley.HoldLease, "")
	case f.pause != nil:
		return held(parley.HoldPaused, f.pause.Words())
	case !f.launched:
		return f.noTerminal()
	case f.spent != "":
		return held(parley.HoldBudget, f.spent)
	case f.stopping:
		return held(parley.HoldStopping, "")
	case !f.sameServer:
		return held(parley.HoldServerGone, "")
	}

	if h := f.otherProgram(); !h.none() {
		return h
	}
	if !f.alive { // tmux may not know it yet
		return held(parley.HoldExited, comeback(&f.agent))
	}
	if f.unmatched != nil && f.unmatched() { // until the watcher has changed the profile
		return held(parley.HoldStarting, "")
	}
	if f.unread > 0 { // it would get two messages as one, and nothing could be proven
		return held(parley.HoldNotReading, strconv.Itoa(f.unread))
	}
	return hold{}
}

func (f *facts) noTerminal() hold {
	a := &f.agent
	switch a.State {
	case parley.StateTerminated:
		return held(parley.HoldStopped, comeback(a))
	case parley.StateExited:
		return held(parley.HoldExited, a.Evidence+"; "+comeback(a))
	case parley.StateUnreachable:
		return held(parley.HoldUnreachable, a.Evidence+"; "+comeback(a))
	}
	return held(parley.HoldNoTerminal, "")
}

// comeback says what delivers the messages of an agent whose program has ended.
func comeback(a *parley.Agent) string {
	if a.Adopted() {
		return fmt.Sprintf("its program, started again in its pane, gets what waits, or another one: "+
			"parley adopt %s --pane ID", a.Name)
	}
	return fmt.Sprintf("parley restart %s delivers what waits", a.Name)
}

const (
	// typingPause is how long after a person's last key in a terminal it is theirs.
	// tmux tells the time of that key in whole seconds.
	typingPause = 3 * time.Second
	// unshownPause is the same while nothing was drawn since that key: a program that is
	// busy shows late what it was given. Copilot took more than two seconds on a machine
	// that had ten things to do at once.
	unshownPause = 10 * time.Second
	// lagFactor is how many times as long as our own text a person's may take to be shown.
	lagFactor = 3
)

// touched holds while a person types in the terminal: their text and ours would become
// one. lag is how long the program took to show what it was given last: one that is behind
// shows late what the person typed, too.
func touched(now time.Time, screen tmux.Screen, lag time.Duration) hold {
	pause := min(max(typingPause, lagFactor*lag), unshownPause)
	switch since := now.Sub(screen.Touched); {
	case screen.Touched.IsZero():
		return hold{}
	case since <= pause:
		return held(parley.HoldPersonTyping, "")
	case since <= unshownPause && screen.Drawn.Before(screen.Touched):
		return held(parley.HoldKeysUnshown, "")
	}
	return hold{}
}
