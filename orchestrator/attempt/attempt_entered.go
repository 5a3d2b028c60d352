package attempt

import (
	"cmp"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
	"parley/tmux"
)

// A program can lose the key that submits, or take it for a line break. While nobody is
// there one more does no harm. Where a person has typed meanwhile, theirs would go with
// ours: then the text lingers in the composer until they have left.
//
// What a person types right after the key may be submitted with our text, where tmux does
// not keep it back: in an adopted pane, and what they paste. Nobody could divide the two,
// but it can be seen afterwards, and said.

// blindWithin is how long nobody may look while a text leaves its composer. tmux tells of a person's
// keys only while they are attached, and in less time nobody clears a composer and leaves.
const blindWithin = 5 * time.Second

// StrangeWithin is how long nobody may look at the terminal of an adopted program while a text is read
// there. In less time nobody suspends the program for a shell, or opens a pager, and is back.
const StrangeWithin = time.Second

// mixedWithin is how long a program may take to show what it was given.
const mixedWithin = 2 * time.Second

// defaultTaken is how long a program without a time in its profile may take to show that
// it has a message. Qwen took 5 s.
const defaultTaken = 10 * time.Second

// defaultStuck is how long after the key the second one comes at the earliest, where the
// profile has no time for that.
const defaultStuck = 5 * time.Second

func (a *Attempt) afterEnter(o *sight.Observation, again bool) tmux.Step {
	e := &a.Entered
	if e.began.IsZero() {
		e.began = o.Now
	} else if o.Facts.LeaseOver { // time in which no second key may be pressed does not count
		e.began = e.began.Add(max(0, o.Now.Sub(e.looked)))
	}
	a.NoteUnread(o)
	a.NoteAgain(again)
	e.NoteElsewhere(o)
	e.Touched = e.Touched || a.Way.touched(o)
	e.Unseen = e.Unseen || o.Now.Sub(e.looked) >= blindWithin // as after a crash
	e.looked = o.Now
	if a.Followed.Pending() {
		return a.FollowUp(o)
	}
	if o.Profile.HasMarkers() {
		a.noteLingering(o)
		e.Begun = e.Begun || a.begins(o)
		if e.Stands = o.Holds(&a.Text.Letter); e.Stands {
			e.stood = o.Now
			a.Text.noteBeside(o)
			a.Text.inFull = a.Text.inFull || profile.Holds(o.Composer, a.Text.Letter.Mark)
		}
	}

	taken, stop := a.Taken(o)
	switch {
	case stop:
		return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
	case taken && (!e.Long || a.Seen(o)):
		return a.FollowUp(o)
	}

	step := a.wait(o, e.began, a.takenWithin(o), tmux.NotTaken)
	mayPress := !again || a.Asked && !e.pressed
	if step.Do == tmux.Wait && !taken && mayPress && a.stuck(o) {
		e.Long = false // this key is followed as the first was
		if o.Typable().None() {
			a.decideKey(o)
			e.pressed, a.Queued = true, true // it may have begun something since the first key
			return tmux.Step{Do: tmux.Press}
		}
	}
	return step
}

// NoteAgain notes whether the key was pressed twice: the first may have been taken for a line break.
func (a *Attempt) NoteAgain(again bool) {
	if again {
		a.Text.before = 1
	}
}

// decideKey notes what was known of a person's keys when the key was decided on, by a look at the
// text. What is not drawn yet can change or clear it before the key.
func (a *Attempt) decideKey(o *sight.Observation) {
	e := &a.Entered
	e.looked, e.Unseen = o.Now, false
	e.undrawn = o.Screen.Drawn.Before(Later(o.Screen.Touched, a.Memory.keysWaited(o)))
	// What an earlier daemon pasted may be cleared away: how late its program draws, only that one knew.
	e.Touched = e.Touched || e.undrawn || a.touchedBefore(o)
}

// touchedBefore reports whether a person may have pressed a key between the message and an attempt that is resumed.
func (a *Attempt) touchedBefore(o *sight.Observation) bool {
	return a.Resumed && !o.Screen.Touched.Before(a.Text.Message.Timestamp.Truncate(time.Second))
}

// takenWithin is how long the program may take to show that it has the text.
func (a *Attempt) takenWithin(o *sight.Observation) time.Duration {
	within := o.Profile.TakenWithin
	if a.Entered.Reporting {
		within *= 2
	}
	if o.Profile.HasMarkers() {
		within += o.Profile.TakenWithin // for a second key
		if !a.Way.Since.IsZero() {
			within += mixedWithin
		}
	}
	if within <= 0 {
		return defaultTaken
	}
	return within
}

// NoteElsewhere notes whether another program has the terminal, or may have had it since the last look. A question that
// stands there before the text is read takes that as its answer.
func (e *entered) NoteElsewhere(o *sight.Observation) {
	if o.Profile.HasMarkers() {
		return // and so shows what it was given
	}
	gap := o.Now.Sub(e.looked) // a question can have come and gone in that, and in an adopted program a shell
	blind := o.Facts.Adopted && (e.Unseen || gap >= StrangeWithin) || !e.looked.IsZero() && gap >= blindWithin
	asked := o.Facts.Unread > 0 && !o.Question.None()
	other := o.Facts.OtherProgram().Code()
	reads := other.OtherReads() && o.Facts.Reader.Waits != tmux.ReadsUnknown // a child may only work
	e.elsewhere = e.elsewhere || blind || asked || other == parley.HoldExited || reads
}

// noteLingering notes whether the text still stands where somebody has typed.
func (a *Attempt) noteLingering(o *sight.Observation) {
	e := &a.Entered
	e.Lingering = o.Holds(&a.Text.Letter) && (a.Way.touched(o) || !o.HoldsOnly(&a.Text.Letter))
	e.Long = e.Long || e.Lingering && o.Now.Sub(e.began) >= o.Profile.TakenWithin
}

// Taken says whether the program has the text, or that nobody can know (stop).
func (a *Attempt) Taken(o *sight.Observation) (taken, stop bool) {
	e := &a.Entered
	if !o.NamedSince(e.Named) {
		if taken, stop = a.emptied(o); !taken {
			return false, stop
		}
	}
	if e.Reporting && !a.reported(o) {
		return false, false
	}
	if o.Profile.HasMarkers() && !a.Way.Since.IsZero() && !a.alone(o) {
		return false, false
	}
	return true, false
}

// emptied says whether the text was read and is gone from the composer. A program that
// changes the mode of its terminal may throw away what is in it, as those do that are just
// starting: while it is changed, that nothing is left unread proves nothing.
func (a *Attempt) emptied(o *sight.Observation) (yes, stop bool) {
	e := &a.Entered
	changed, lasts := e.modeChanged(o)
	switch {
	case o.Facts.Stopping, o.Screen.Dead, lasts:
		return false, true
	case changed, e.elsewhere:
		return false, false
	case o.Facts.Unread > 0, o.Holds(&a.Text.Letter), !o.Facts.Alive: // what a dead program had not read is gone
		return false, false
	case e.undrawn && !o.Profile.HasMarkers() && !a.Text.showsAnew(o):
		return false, false // they may have cleared it away
	case o.Composing || !o.Profile.HasMarkers():
		e.Left = true
		return true, false
	case o.Hides():
		return false, false
	}

	// It may be a frame that is half drawn.
	if e.hidden.IsZero() {
		e.hidden = o.Now
	}
	return o.Now.Sub(e.hidden) >= o.Profile.Settle, false
}

// modeReturns is how long a terminal may be read in another mode while its program takes a line,
// as the prompts of Python and Node are.
const modeReturns = time.Second

// modeChanged says whether the terminal is read in another mode than before the key, and whether
// that lasts.
func (e *entered) modeChanged(o *sight.Observation) (changed, lasts bool) {
	switch {
	case o.Profile.HasMarkers(), o.TTY == e.Mode:
		e.changed = time.Time{}
		return false, false
	case e.changed.IsZero():
		e.changed = o.Now
	}
	return true, o.Now.Sub(e.changed) >= modeReturns
}

// reported says whether the turn that a text opens has begun, once that has left its
// composer. What goes into work waits for the end of that, and is not asked for.
func (a *Attempt) reported(o *sight.Observation) bool {
	e := &a.Entered
	switch {
	case a.Way.By.Note() != "", o.NamedSince(e.Named), e.Begun, o.Shows == profile.Busy, !a.Memory.Reports(o):
		return true
	case e.gone.IsZero():
		e.gone = o.Now
	}

	if o.Names || o.Now.Sub(e.gone) < o.Profile.TakenWithin {
		a.Text.unsaid = true
		return false
	}
	a.Memory.silent = o.On

	return true
}

// begins reports whether the screen shows that an idle program has begun on the text: it works, or
// shows the text among what it was given. Where a person has typed meanwhile, that may be on theirs,
// and the text in a queue.
func (a *Attempt) begins(o *sight.Observation) bool {
	if a.Way.By.Note() != "" || o.Holds(&a.Text.Letter) || a.Way.touched(o) {
		return false
	}
	return o.Shows == profile.Busy || o.ShowsAbove(&a.Text.Letter) && a.Text.showsAnew(o)
}

// touched reports whether a person has pressed a key since the look before the paste.
func (w *Way) touched(o *sight.Observation) bool {
	return !w.Since.IsZero() && o.Screen.Touched.Unix() >= w.Since.Unix()
}

// alone looks, when a person has pressed a key after the one that submits, what stands
// behind the text now. It says no until the text is seen or reported: the key may have
// cleared it away.
func (a *Attempt) alone(o *sight.Observation) bool {
	if !a.Entered.Touched && !a.Entered.Unseen { // as up to the key, which was withheld otherwise
		return true
	}

	return a.Seen(o)
}

// noteBeside notes what stands behind the text in its composer.
func (t *Typed) noteBeside(o *sight.Observation) {
	_, after, _ := strings.Cut(o.Composer, t.Letter.Mark)
	_, behind, _ := strings.Cut(after, ")")
	t.beside = strings.TrimSpace(behind)
}

// submitted reports whether the screen shows the whole text, more often than before it was typed. It notes the words
// behind it, where a person may have typed them.
func (t *Typed) submitted(o *sight.Observation, touched bool) bool {
	words, shown := profile.Behind(o.Screen.Lines, t.Letter.Mark, t.before)
	if t.beside != "" && profile.Shown(o.Screen.Lines, t.Letter.Foot+t.beside) { // of which that is the first row
		words = t.beside
	}
	if shown && touched && words != "" {
		t.Mixed = words
	}
	return shown && t.showsAnew(o)
}

// Seen reports whether a text that lingered was submitted, given a screen whose composer
// does not hold it: it may have been cleared away there.
func (a *Attempt) Seen(o *sight.Observation) bool {
	return a.Text.submitted(o, true) || o.NamedSince(a.Entered.Named) && o.Now.Sub(o.Named) >= mixedWithin
}

// stuck says whether the text, and nothing else, stands unsent in the composer of a program
// that waits, or that works and has a queue behind that key: then the key was lost, and one
// more does no harm.
func (a *Attempt) stuck(o *sight.Observation) bool {
	e, p := &a.Entered, o.Profile
	if !p.HasMarkers() || o.Now.Sub(e.began) < cmp.Or(p.TakenWithin, defaultStuck) {
		return false
	}
	if o.Facts.Unread > 0 { // the first key may be among it
		return false
	}

	takesKey := o.Shows == profile.Idle || o.Shows == profile.Blocked && a.Way.By.past() ||
		o.Shows == profile.Busy && a.Way.Key == tmux.Key(p.QueueKey)
	if !takesKey || !o.HoldsOnly(&a.Text.Letter) || !sight.Touched(o.Now, o.Screen, a.Memory.lag).None() ||
		a.Memory.readLate(o) {
		return false // and the rest of the screen does not count
	}
	if !a.Text.recognises(o) || (a.Way.touched(o) || a.touchedBefore(o)) && a.Memory.Mistakes(a.Text, o) {
		return false // it may be what a person has recalled
	}
	return o.Now.Sub(e.still.SinceText(o.Now, o.SteadyPart())) >= p.Settle
}

// ProofOf returns what proves that a text was taken. reported says that the program has named the message.
func ProofOf(p *profile.Profile, phase tmux.Phase, reported bool) parley.ReasonCode {
	switch {
	case reported:
		return parley.ProofReport
	case phase == tmux.Entered:
		return parley.ProofEntered
	case p.HasMarkers():
		return parley.ProofComposer
	}
	return parley.ProofRead
}
