package courier

import (
	"time"

	"parley"
	"parley/program/profile"
	"parley/tmux"
)

// A program can take a text from its composer and refuse it by itself: one that is signed out
// says so, and no model gets the text. Its own report of the prompt comes before that. So where
// a profile knows refusals, what follows on the screen decides. An answer below the text is proof at once. Once
// a turn has followed in a terminal, its program is signed in: from then on the begin of a turn is proof, and
// nobody waits for what does not come.

// followUp decides by what the screen shows after the text has left the composer. What goes into the work of a program
// that is signed in waits for the end of that, and is not asked for.
func (a *attempt) followUp(o *observation) tmux.Step {
	f := &a.followed
	if f.since.IsZero() {
		f.since = o.now
	}

	if !o.profile.HasMarkers() {
		return tmux.Step{Do: tmux.Done}
	}
	within := o.profile.RefusesWithin
	if within <= 0 || a.way.by.works() && !a.memory.mayRefuse(o) {
		return tmux.Step{Do: tmux.Done}
	}

	above, served := f.look(a, o), !a.memory.mayRefuse(o)
	waited := o.now.Sub(f.since)
	over := waited >= within || !f.rests.IsZero() && o.now.Sub(f.rests) >= o.profile.Quiet

	// A refusal that stands there from before has our text below it, once that is drawn.
	if cause := o.refusal(); cause != "" && (over || above || o.facts.stopping) {
		f.refusal, a.memory.served = cause, nil
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}

	began := f.answers || f.worked || o.namedSince(a.entered.named)
	if f.answers && o.refusal() == "" {
		a.memory.served, served = o.on, true
	}
	switch {
	case began && served && o.refusal() == "", f.asks(o, served):
		return tmux.Step{Do: tmux.Done}
	case o.facts.stopping:
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	case o.hides() && waited < within+o.profile.TakenWithin: // a refusal can stand behind that
		return tmux.Step{Do: tmux.Wait}
	case over && f.begun && !o.hides():
		if began {
			a.memory.served = o.on
		}
		return tmux.Step{Do: tmux.Done}
	case over:
		f.idle = !f.begun
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}
	return tmux.Step{Do: tmux.Wait}
}

// asks reports whether a dialog belongs to a turn: the program says that it waits, or has had a turn in this terminal.
// Any other can stand in front of a refusal.
func (f *followed) asks(o *observation, served bool) bool {
	if o.shows != profile.Dialog {
		return false
	}
	title, _ := o.profile.Title(o.screen.Title)
	said := o.report.State == parley.StateWaiting && o.report.At.After(f.since)
	return served || said || title.State == parley.StateWaiting
}

// look notes what the screen shows of a turn, and reports whether the text stands above the
// composer.
func (f *followed) look(a *attempt, o *observation) (above bool) {
	above = a.text.submitted(o, a.entered.touched || a.entered.unseen)
	f.worked = f.worked || o.shows == profile.Busy
	f.answers = above && o.profile.Answered(o.Above, a.text.letter.mark, a.text.of(a.text.letter.mark))
	told := above || o.namedSince(a.entered.named) || o.shows == profile.Dialog
	f.begun = f.begun || f.worked || f.answers || told && !(a.entered.unseen && a.memory.mayRefuse(o))

	switch {
	case o.shows == profile.Busy:
		f.rests = time.Time{}
	case f.worked && f.rests.IsZero():
		f.rests = o.now
	}
	return above
}
