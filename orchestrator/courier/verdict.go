package courier

import (
	"time"

	"parley/profile"
	"parley/tmux"
)

// A program can take a text from its composer and refuse it by itself: one that is signed out
// says so, and no model gets the text. Its own report of the prompt comes before that. So where
// a profile knows refusals, what follows on the screen decides.

// verdict is what an attempt remembers of its looks after the program has taken the text.
type verdict struct {
	since   time.Time // of the looks; zero: it has not
	begun   bool      // a turn was seen, or the text above the composer
	worked  bool      // the program was seen at work
	rests   time.Time // since when it rests after that; zero: it does not
	refusal string    // the cause of a refusal
	idle    bool      // the time is over, and nothing shows that a turn began
}

func (v *verdict) pending() bool { return !v.since.IsZero() }

// followUp decides by what the screen shows after the text has left the composer. What goes
// into work waits for the end of that, and is not asked for.
func (a *attempt) followUp(o *observation) tmux.Step {
	v := &a.verdict
	if v.since.IsZero() {
		v.since = o.now
	}

	within := o.profile.RefusesWithin
	if within <= 0 || !o.profile.HasMarkers() || a.way.works {
		return tmux.Step{Do: tmux.Done}
	}

	above := v.look(a, o)
	over := o.facts.stopping || o.now.Sub(v.since) >= within ||
		!v.rests.IsZero() && o.now.Sub(v.rests) >= o.profile.Quiet

	// A refusal that stands there from before has our text below it, once that is drawn.
	if cause := o.profile.RefusedBy(o.screen.Lines); cause != "" && (over || above) {
		v.refusal = cause
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}

	switch {
	case o.shows == profile.Dialog, over && v.begun:
		return tmux.Step{Do: tmux.Done}
	case over:
		v.idle = true
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}
	return tmux.Step{Do: tmux.Wait}
}

// look notes what the screen shows of a turn, and reports whether the text stands above the
// composer.
func (v *verdict) look(a *attempt, o *observation) (above bool) {
	_, above = profile.Behind(o.screen.Lines, a.letter.mark)
	v.worked = v.worked || o.shows == profile.Busy
	v.begun = v.begun || above || v.worked || o.namedSince(a.entered.named) || o.shows == profile.Dialog

	switch {
	case o.shows == profile.Busy:
		v.rests = time.Time{}
	case v.worked && v.rests.IsZero():
		v.rests = o.now
	}
	return above
}
