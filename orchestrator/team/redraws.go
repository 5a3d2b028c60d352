package team

import (
	"time"

	"parley"
)

// Redraws decides when a program is made to draw its screen again, because the screen has
// been of no use for long. The zero value is ready to use. Not safe for concurrent use.
type Redraws struct {
	since time.Time     // the screen has been of no use since then; zero: it is of use
	last  time.Time     // of the last redraw; zero: there was none
	pause time.Duration // between the last redraw and the next
}

// maxRedrawPause is the longest time between two redraws of a screen that stays of no use:
// it may belong to a version of the program that looks different.
const maxRedrawPause = 10 * time.Minute

// redrawTime is how long after a redraw was asked for output is taken for that: the window
// gets its size back after 5 s at the latest.
const redrawTime = 10 * time.Second

// redrew reports whether output came because the program was made to draw its screen again.
// That is no sign of life.
func (t *Terminal) redrew(at time.Time) bool {
	return !t.RedrawnAt.IsZero() && at.Unix() >= t.RedrawnAt.Unix() && at.Sub(t.RedrawnAt) < redrawTime
}

// Due notes the state that a look found, "" if it found none, and reports whether the
// program is to draw its screen again. The first time comes when the screen has been of no
// use for so long, each further one after twice the time.
func (r *Redraws) Due(now time.Time, state parley.AgentState, after time.Duration) bool {
	switch state {
	case "":
		return false
	case parley.StateUnknown, parley.StateDrafting: // what stands in the composer may be garbled too
	default:
		r.since = time.Time{}
		if now.Sub(r.last) > r.pause {
			r.pause = 0
		}
		return false
	}

	if r.since.IsZero() {
		r.since = now
	}
	if now.Sub(r.since) < after || now.Sub(r.last) < r.pause {
		return false
	}

	r.last, r.pause = now, min(max(2*r.pause, 2*after), maxRedrawPause)

	return true
}
