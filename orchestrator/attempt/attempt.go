package attempt

import (
	"cmp"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
	"parley/tmux"
)

// Ready decides whether the text may be typed now, by the screen. What can change between
// this look and the paste is looked at again inside tmux, in the command that pastes.
func (m *Memory) Ready(o *sight.Observation) sight.Hold {
	switch {
	case o.Screen.Dead:
		return sight.Held(parley.HoldExited, sight.Comeback(&o.Facts.Agent))
	case o.Screen.InputOff:
		return sight.Held(parley.HoldInputOff, "")
	case o.Screen.Shared:
		return sight.Held(parley.HoldSynchronized, "")
	}

	if m.Text != nil && m.Text.beneath && m.Text.showsAnew(o) { // also in a dialog, which may have taken it
		m.Text.beneath = false
	}
	h := m.readiness(o)
	// What may pass it waits for the person too.
	if !h.None() && !h.Working() && !h.Composed() && !(h.Blocked() && h.Only) {
		return h
	}
	typing := m.touched(o)
	if o.Screen.InMode { // what leaves that mode for a message waits for what a person typed before it
		scrolls := sight.Held(parley.HoldScrolling, "")
		scrolls.Only = h.None() && typing.None()
		return scrolls
	}
	if !typing.None() {
		return typing
	}

	return h
}

// readiness reads the screen: by markers where the profile has them, and otherwise by its
// being quiet.
func (m *Memory) readiness(o *sight.Observation) sight.Hold {
	if o.Profile.HasMarkers() {
		s := o.Standing()
		rest := max(o.Profile.Quiet, m.startRest(o, &s))
		h := s.Hold(rest)
		if p := o.Profile; p.Still > 0 && o.Now.Sub(m.still.Since(o.Now, o.Screen)) < p.Still && h.None() {
			h = sight.Held(parley.HoldNoisy, "")
		}
		if h.Code() == parley.HoldDraft && (o.OwnText() || m.Text != nil && m.Text.recognises(o)) {
			h = m.ownText(o)
		} else if h.Code() == parley.HoldDraft && s.Steady >= rest {
			h.Draft = o.Composer
		}
		return m.notBegun(o, &s, h)
	}

	switch {
	case o.Now.Sub(o.On.Started) < o.Profile.Startup:
		return sight.Held(parley.HoldStarting, "")
	case !o.Question.None():
		return o.Question.Hold()
	case o.Now.Sub(m.still.Since(o.Now, o.Screen)) < o.Profile.Quiet:
		return sight.Held(parley.HoldNoisy, "")
	case o.OwnText():
		return sight.Held(parley.HoldRecalled, "")
	}
	at := o.Place()
	m.Place = at.At
	return at.Hold()
}

// Next returns the step that follows an observation, at a phase of the text.
func (a *Attempt) Next(phase tmux.Phase, again bool, o *sight.Observation) tmux.Step {
	var step tmux.Step
	switch phase {
	case tmux.Unknown:
		step = a.beforePaste(o)
	case tmux.Pasted:
		step = a.afterPaste(o)
	default:
		return a.afterEnter(o, again)
	}
	a.Withheld = step.Do != tmux.Press
	a.Queued = a.Queued || step.Do == tmux.Press && o.Shows == profile.Busy
	return step
}

// beforePaste looks once more what has the terminal.
func (a *Attempt) beforePaste(o *sight.Observation) tmux.Step {
	if a.Refused = o.Typable(); !a.Refused.None() {
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	return tmux.Step{Do: tmux.Paste}
}

// Seen says, for the evidence, where the text was before the key, if this attempt looked.
func (p *pasted) Seen() string {
	if p.began.IsZero() {
		return ""
	}
	return ", " + cmp.Or(p.Where, "not seen on its screen")
}

// slowScreen is how long, beyond a profile's patience, a screen may take to come to rest
// before it counts as one that never does.
const slowScreen = 10 * time.Second

// SlowRead is how long the terminal must stand unread before keys in it may be those of somebody who has
// left meanwhile.
const SlowRead = time.Second

// NoteUnread notes that the program has not read its terminal for long.
func (a *Attempt) NoteUnread(o *sight.Observation) {
	switch {
	case o.Facts.Unread == 0:
		a.unread = time.Time{}
	case a.unread.IsZero():
		a.unread = o.Now
	case o.Now.Sub(a.unread) > SlowRead:
		a.Memory.Unread = o.Now
	}
}

// slowReader is how long a program may leave the text unread before its time to show it begins. On
// a machine with a load of 20, Claude Code and Codex drew nothing of a paste for 5 s.
const slowReader = 20 * time.Second

// defaultShow is how long the text may take to show where the profile does not say.
const defaultShow = 10 * time.Second

// slowDraw is how late a program that works may show a text and still get its key: a question that it opens meanwhile
// would take that for its answer, and be drawn as late. At a load of 5 Claude Code shows it within 0.1 s; at one of 31
// it took a key for the answer to a question that it had not drawn.
const slowDraw = time.Second

// DrawsLate says of such a program why a message waits for its rest that would go into its work.
const DrawsLate = ", and draws late: the key could answer a question that it has not drawn yet"

// notePasted notes where the text is, and begins the time in which it is to show.
func (a *Attempt) notePasted(o *sight.Observation) {
	p := &a.Pasted
	if p.began.IsZero() {
		p.begin(o, a.Memory.Last().Unreported)
	}
	if o.Facts.Unread > 0 && o.Now.Sub(p.first) < slowReader {
		p.began = o.Now
	}
	if o.Holds(&a.Text.Letter) {
		a.Text.noteBeside(o)
		if a.Text.Above != nil { // it may have drawn late what it was given before
			a.Text.Above = o.Above
		}
	}
	a.Text.NoteElsewhere(o)
}

func (a *Attempt) afterPaste(o *sight.Observation) tmux.Step {
	p := &a.Pasted
	if !a.unread.IsZero() && o.Now.Sub(a.unread) > SlowRead { // what lay there at the last look may be read just now
		a.Memory.Unread = o.Now
	}
	a.NoteUnread(o)
	if p.scrolls { // until that ends, the screen decides nothing; then the looks begin again
		if a.Refused = o.Typable(); !a.Refused.None() {
			return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
		}
		if o.Screen.InMode {
			return tmux.Step{Do: tmux.Wait}
		}
		p.scrolls, p.began, p.still = false, time.Time{}, time.Time{}
	}
	a.notePasted(o)
	if o.NamedSince(a.Entered.Named) { // a person has pressed the key
		a.Entered.Stands = o.Holds(&a.Text.Letter)
		if !a.Seen(o) && !a.Memory.MayRefuse(o) { // what may be refused is looked at for longer
			return tmux.Step{Do: tmux.Wait}
		}
		return a.FollowUp(o)
	}

	switch {
	case o.Facts.Stopping, o.Shows == profile.Dialog:
		a.Text.beneath = o.Shows == profile.Dialog && !a.Text.showsAnew(o)
		return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
	case o.Shows == profile.Busy && !a.Way.By.Works() && a.Way.Key != tmux.Key(o.Profile.QueueKey):
		// The key could interrupt what it has begun meanwhile.
		return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
	}
	if a.Refused = a.Misplaced(o); !a.Refused.None() {
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}

	if !a.shown(o) {
		return a.awaitText(o)
	}
	if !p.shown && o.Profile.HasMarkers() { // others may never show it
		p.shown, a.Memory.lag = true, o.Now.Sub(p.began)
		a.Memory.Behind = o.Now.Sub(p.first) > slowDraw || a.Resumed && a.Memory.Behind
	}
	if part := o.SteadyPart(); p.still.IsZero() || part != p.part {
		p.part, p.still = part, o.Now
	}
	if left := o.Profile.Settle - o.Now.Sub(p.still); left > 0 {
		step := a.wait(o, p.began, p.within, tmux.NotShown)
		step.For = left
		return step
	}
	return a.press(o)
}

// awaitText waits for a text that its terminal does not show, or says why not.
func (a *Attempt) awaitText(o *sight.Observation) tmux.Step {
	p := &a.Pasted
	p.still = time.Time{}
	late := tmux.NotShown
	if o.Profile.HasMarkers() && o.Hides() { // it may stand behind that
		late = tmux.Blocked
	}
	switch {
	case o.Profile.HasMarkers() && o.Holds(&a.Text.Letter) && !o.HoldsOnly(&a.Text.Letter):
		a.Refused = sight.Held(parley.HoldMixedText, "")
	case late == tmux.NotShown && a.swallows(o):
		a.Refused = sight.Held(parley.HoldDialogOpened, "")
	}
	return a.wait(o, p.began, p.within, late)
}

// press decides whether the key of a text that rests in its terminal may be pressed.
func (a *Attempt) press(o *sight.Observation) tmux.Step {
	p := &a.Pasted
	if a.Refused = o.Typable(); !a.Refused.None() {
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	if a.Text.elsewhere {
		a.Refused = sight.Held(parley.HoldRecalled, "")
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	if a.Memory.readLate(o) {
		return a.wait(o, p.began, p.within, tmux.NotShown)
	}
	if a.Way.By.Works() && a.Memory.Behind { // until it rests
		a.Refused = sight.Held(parley.HoldBusy, DrawsLate)
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady}
	}
	p.scrolls = o.Screen.InMode && a.Way.By != PassMode // tmux refuses the key then
	a.decideKey(o)
	return tmux.Step{Do: tmux.Press}
}

// swallows reports whether a dialog has taken the text, which was pasted as it opened. The program was not given it
// then: no key was pressed, nobody has ever been there, and it stands nowhere.
func (a *Attempt) swallows(o *sight.Observation) bool {
	return a.Text.beneath && o.Unvisited() && o.Facts.Unread == 0 &&
		o.Composing && o.Composer == "" && !a.Text.showsAnew(o)
}

// begin begins the time in which the text is to show. unreported says that the one before it was not reported.
func (p *pasted) begin(o *sight.Observation, unreported bool) {
	known := o.Profile
	p.began, p.within = o.Now, known.ShowWithin+known.Settle
	if p.first.IsZero() {
		p.first = o.Now
	}
	if !known.HasMarkers() {
		p.within += slowScreen
	}
	if unreported {
		p.within += known.TakenWithin
	}
	if p.within <= 0 {
		p.within = defaultShow
	}
}

// shown reports whether the pasted text stands where it is composed. Without markers that is
// at the cursor, or anywhere on the screen of a program that draws it itself. One that shows
// nothing of it gets no key: a dialog swallows a text, and the key would answer it.
func (a *Attempt) shown(o *sight.Observation) bool {
	switch {
	case a.Memory.unreported(o, o.Shows == profile.Idle):
		return false
	case a.Way.By == PassDraft && !profile.Holds(o.Composer, a.Text.Letter.Mark):
		return false // what stands in place of a long text could stand for a person's, too
	case o.HoldsOnly(&a.Text.Letter) && a.recognises(o):
		a.Pasted.Where = "shown at its cursor"
		return true
	}
	return !o.Profile.HasMarkers() && a.drawn(o)
}

// drawn reports whether a program without markers shows the text somewhere. Where the mode of its terminal is not
// known, or the operator asks for the key, now or of an earlier text that did not show, patience must do.
func (a *Attempt) drawn(o *sight.Observation) bool {
	if a.Text.showsAnew(o) {
		a.Pasted.Where = "shown on its screen"
		return true
	}
	trusted := a.Asked || a.Memory.Mute == o.On
	return (trusted || !o.TTY.Known && !a.Resumed) && o.Now.After(a.Pasted.first.Add(o.Profile.ShowWithin))
}

// showsAnew reports whether the screen shows the text more often than before it was typed.
func (t *Typed) showsAnew(o *sight.Observation) bool {
	return profile.Times(o.Screen.Lines, t.Letter.Mark) > t.of(t.Letter.Mark)
}

// recognises reports whether what stands in the composer is our text. Right after the paste, what
// is shown in place of a long one is.
func (a *Attempt) recognises(o *sight.Observation) bool {
	if !a.Resumed && !profile.Holds(o.Composer, a.Text.Letter.Mark) {
		a.Text.collapsed = o.Composer
	}
	return a.Text.recognises(o) && !(a.Resumed && a.Memory.Mistakes(a.Text, o))
}

// wait looks again, or stops with a reason when the time for it is over.
func (a *Attempt) wait(o *sight.Observation, began time.Time, within time.Duration, late tmux.Refusal) tmux.Step {
	if o.Now.Sub(began) >= within {
		return tmux.Step{Do: tmux.Stop, Reason: late}
	}
	return tmux.Step{Do: tmux.Wait}
}
