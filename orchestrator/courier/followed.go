package courier

import (
	"time"

	"parley/profile"
	"parley/tmux"
)

// A program can take a text from its composer and refuse it by itself: one that is signed out
// says so, and no model gets the text. Its own report of the prompt comes before that. So where
// a profile knows refusals, what follows on the screen decides. An answer below the text is proof at once. Once
// a turn has followed in a terminal, its program is signed in: from then on the begin of a turn is proof, and
// nobody waits for what does not come.

// followed is what an attempt remembers of its looks after the program has taken the text.
type followed struct {
	since   time.Time // of the looks; zero: it has not
	begun   bool      // a turn was seen, or the text above the composer
	worked  bool      // the program was seen at work
	answers bool      // an answer was seen below the text
	rests   time.Time // since when it rests after that; zero: it does not
	refusal string    // the cause of a refusal
	idle    bool      // the time is over, and nothing shows that a turn began
}

func (f *followed) pending() bool { return !f.since.IsZero() }

// followUp decides by what the screen shows after the text has left the composer. What goes
// into work waits for the end of that, and is not asked for.
func (a *attempt) followUp(o *observation) tmux.Step {
	f := &a.followed
	if f.since.IsZero() {
		f.since = o.now
	}

	within := o.profile.RefusesWithin
	if within <= 0 || !o.profile.HasMarkers() || a.way.works {
		return tmux.Step{Do: tmux.Done}
	}

	above := f.look(a, o)
	over := o.facts.stopping || o.now.Sub(f.since) >= within ||
		!f.rests.IsZero() && o.now.Sub(f.rests) >= o.profile.Quiet

	// A refusal that stands there from before has our text below it, once that is drawn.
	if cause := o.refusal(); cause != "" && (over || above) {
		f.refusal, a.memory.served = cause, nil
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}

	began := f.answers || f.worked || o.namedSince(a.entered.named)
	if f.answers && o.refusal() == "" {
		a.memory.served = o.on
	}
	switch {
	case began && a.memory.served == o.on && o.refusal() == "":
		return tmux.Step{Do: tmux.Done}
	case o.shows == profile.Dialog, over && f.begun:
		if began {
			a.memory.served = o.on
		}
		return tmux.Step{Do: tmux.Done}
	case over:
		f.idle = true
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}
	return tmux.Step{Do: tmux.Wait}
}

// look notes what the screen shows of a turn, and reports whether the text stands above the
// composer.
func (f *followed) look(a *attempt, o *observation) (above bool) {
	_, above = profile.Behind(o.screen.Lines, a.letter.mark)
	above = above && a.showsAnew(o)
	f.worked = f.worked || o.shows == profile.Busy
	f.answers = above && o.profile.Answered(o.Above, a.letter.mark, a.memory.copies.of(a.letter.mark))
	f.begun = f.begun || above || f.worked || o.namedSince(a.entered.named) || o.shows == profile.Dialog

	switch {
	case o.shows == profile.Busy:
		f.rests = time.Time{}
	case f.worked && f.rests.IsZero():
		f.rests = o.now
	}
	return above
}
