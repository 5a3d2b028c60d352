package attempt

import (
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
	"parley/tmux"
)

// A program can take a text from its composer and refuse it by itself: one that is signed out
// says so, and no model gets the text. Its own report of the prompt comes before that. So where
// a profile knows refusals, what follows on the screen decides. An answer below the text is proof at once. Once
// a turn has followed in a terminal, its program is signed in: from then on the begin of a turn is proof, and
// nobody waits for what does not come.

// FollowUp decides by what the screen shows after the text has left the composer. What goes into the work of a program
// that is signed in waits for the end of that, and is not asked for.
func (a *Attempt) FollowUp(o *sight.Observation) tmux.Step {
	f := &a.Followed
	if f.since.IsZero() {
		f.since = o.Now
	}
	asked := f.looked // tmux can answer late: its screen may be as old as the look before
	f.looked = o.Now

	if !o.Profile.HasMarkers() {
		return tmux.Step{Do: tmux.Done}
	}
	within := o.Profile.RefusesWithin
	if within <= 0 || a.Way.By.Works() && !a.Memory.MayRefuse(o) {
		return tmux.Step{Do: tmux.Done}
	}

	above, served := f.look(a, o), !a.Memory.MayRefuse(o)
	waited := max(0, asked.Sub(f.since))
	over := waited >= within || !f.rests.IsZero() && asked.Sub(f.rests) >= o.Profile.Quiet

	// A refusal that stands there from before has our text below it, once that is drawn.
	if cause := o.Refusal(); cause != "" && (over || above || o.Facts.Stopping) {
		f.Refusal, a.Memory.Served = cause, nil
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	}

	began := f.answers || f.worked || o.NamedSince(a.Entered.Named)
	if f.answers && o.Refusal() == "" {
		a.Memory.Served, served = o.On, true
	}
	switch {
	case began && served && o.Refusal() == "", f.asks(o, served):
		return tmux.Step{Do: tmux.Done}
	case o.Facts.Stopping:
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
	case o.Hides() && waited < within+o.Profile.TakenWithin: // a refusal can stand behind that
		return tmux.Step{Do: tmux.Wait}
	case over && f.begun && !o.Hides() && (served || o.Facts.OtherProgram().None()): // else nothing was drawn
		if began {
			a.Memory.Served = o.On
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
func (f *followed) asks(o *sight.Observation, served bool) bool {
	if o.Shows != profile.Dialog {
		return false
	}
	title, _ := o.Profile.Title(o.Screen.Title)
	said := o.Report.State == parley.StateWaiting && o.Report.At.After(f.since)
	return served || said || title.State == parley.StateWaiting
}

// look notes what the screen shows of a turn, and reports whether the text stands above the
// composer.
func (f *followed) look(a *Attempt, o *sight.Observation) (above bool) {
	above = a.Text.submitted(o, a.Entered.Touched || a.Entered.Unseen)
	f.worked = f.worked || o.Shows == profile.Busy
	f.answers = above && o.Profile.Answered(o.Above, a.Text.Letter.Mark, a.Text.of(a.Text.Letter.Mark))
	told := above || o.NamedSince(a.Entered.Named) || o.Shows == profile.Dialog
	f.begun = f.begun || f.worked || f.answers || told && !(a.Entered.Unseen && a.Memory.MayRefuse(o))

	switch {
	case o.Shows == profile.Busy:
		f.rests = time.Time{}
	case f.worked && f.rests.IsZero():
		f.rests = o.Now
	}
	return above
}
