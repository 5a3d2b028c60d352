package courier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// submit types a claimed message, or goes on with one that was pasted, and
// records what came of it.
func (c *courier) submit(
	ctx context.Context,
	t *team.Terminal,
	job store.Job,
	l letter,
	w way,
	resume bool,
) (done bool, err error) {
	p := t.Profile
	sub := tmux.Submission{
		Owner:     c.m.ID,
		On:        t.Instance,
		Seq:       job.PaneSeq,
		Text:      l.text,
		Key:       w.key,
		LeaveMode: w.leave,
		Resume:    resume,
		Settle:    p.Settle,
		Ready:     func() error { return typable(t) },
		OnEntered: c.o.Entered,
	}

	if resume || !p.Instant() {
		sub.Untouched = w.since
		sub.Shown, sub.ShowWithin = c.shownTest(t, job, l, w, resume)
		sub.Taken, sub.TakenWithin = c.takenTest(t, job, l, modeOf(t), c.o.Now()), p.TakenWithin
		if !resume && c.reports(t) {
			sub.Taken, sub.TakenWithin = both(sub.Taken, c.begun(t, job, w)), 2*p.TakenWithin
		}
		if p.HasMarkers() && !w.since.IsZero() {
			sub.Taken, sub.TakenWithin = both(sub.Taken, c.apart(job, l, w)), sub.TakenWithin+mingledWithin
		}
	}

	if p.HasMarkers() {
		sub.Steady = func(s tmux.Screen) string { return steadyPart(p, s) }
		sub.Stuck, sub.StuckAfter = c.stuckTest(t, l, w), p.TakenWithin
		sub.TakenWithin += p.TakenWithin
	}

	lingering := func() bool { return false }
	if p.HasMarkers() && sub.Taken != nil {
		lingering = c.watch(&sub, t, job, l, w)
	}

	beside := false
	if shows := sub.Shown; shows != nil {
		sub.Shown = func(s tmux.Screen) tmux.Look { beside = accompanied(p, s, l); return shows(s) }
	}

	out, err := t.Pane.Submit(ctx, sub)
	if resume && out.Phase == tmux.Refused {
		out.Phase = tmux.Pasted // by an earlier call: it is not to be typed again
	}

	if err == nil && out.Phase == tmux.Pasted && out.Reason == tmux.NotShown && beside {
		c.cautious = false
		return false, c.note(ctx, job, "pasted; Enter waits: someone's own text stands beside it in its composer")
	}

	if err == nil && out.Phase == tmux.Entered && out.Reason == tmux.NotTaken && !out.Again && lingering() {
		return false, c.linger(ctx, job)
	}

	return c.conclude(ctx, t, job, w, out, err)
}

// accompanied reports whether our text stands in the composer beside another: a person
// who takes theirs away again lets ours go.
func accompanied(p *profile.Profile, s tmux.Screen, l letter) bool {
	return p.HasMarkers() && holds(p, s, l) && !holdsOnly(p, s, l)
}

// steadyPart is what must be at rest before the key: the composer. Elsewhere a
// program may show a clock or a spinner that never rests.
func steadyPart(p *profile.Profile, s tmux.Screen) string {
	text, _ := p.Composer(shown(s))
	return fmt.Sprint(s.CursorX, s.CursorY, " ", p.Look(s.Lines), "\n", text)
}

// both says Yes only where further does, too.
func both(look func(tmux.Screen) tmux.Look, further func(tmux.Screen) bool) func(tmux.Screen) tmux.Look {
	return func(s tmux.Screen) tmux.Look {
		found := look(s)
		if found == tmux.Yes && !further(s) {
			return tmux.Wait
		}
		return found
	}
}

// typable is asked at the last moment before the paste and before the key.
func typable(t *team.Terminal) error {
	if t.Ended.Load() {
		return errors.New("the agent is being stopped")
	}
	if t.Profile.Instant() {
		return nil // the gate has looked
	}
	if o := otherProgram(t); o != free {
		return errors.New(o.reason)
	}
	return nil
}

// shownTest says whether the pasted text stands where it is composed. A program
// that never echoes gets its key when patience is over, unless the paste is one
// that a crash left behind: then only what is seen counts.
func (c *courier) shownTest(
	t *team.Terminal,
	job store.Job,
	l letter,
	w way,
	resume bool,
) (func(tmux.Screen) tmux.Look, time.Duration) {
	p := t.Profile
	var patience time.Time
	test := func(s tmux.Screen) tmux.Look {
		now := c.o.Now()
		if patience.IsZero() {
			patience = now.Add(p.ShowWithin)
		}

		looks := looksOf(p, s)
		switch {
		case t.Ended.Load(), looks == profile.Dialog:
			return tmux.Stop
		case looks == profile.Busy && w.note == "" && w.key != tmux.Key(p.QueueKey):
			return tmux.Stop // the key could interrupt what it has begun meanwhile
		case c.unreported(t, looks == profile.Idle):
			return tmux.Wait
		case holdsOnly(p, s, l) && c.recognises(p, s, l, job.Key, resume):
			return tmux.Yes
		case !p.HasMarkers() && !resume && now.After(patience):
			return tmux.Yes
		}

		return tmux.Wait
	}

	within := p.ShowWithin + p.Settle
	if !p.HasMarkers() {
		within += slowScreen
	}
	if c.given.unreported {
		within += p.TakenWithin
	}

	return test, within
}

// slowScreen is how long, beyond a profile's patience, a screen may take to
// come to rest before it counts as one that never does.
const slowScreen = 10 * time.Second

// holds reports whether our text stands in the composer, unsent.
func holds(p *profile.Profile, s tmux.Screen, l letter) bool {
	text, ok := p.Composer(shown(s))
	return ok && (profile.Holds(text, l.mark) || p.Collapsed(text))
}

// holdsOnly reports whether our text and nothing else stands in the composer: a
// person's keys between it and the key would be submitted with it.
func holdsOnly(p *profile.Profile, s tmux.Screen, l letter) bool {
	if !p.HasMarkers() {
		return holds(p, s, l) // what stands before it in the line may be a prompt
	}
	text, ok := p.Composer(shown(s))
	return ok && (profile.Holds(text, l.mark) && profile.HoldsOnly(text, l.text) || p.CollapsedOnly(text))
}

// recognises reports whether what stands in the composer is not merely like our text.
// What a program shows in place of a long paste could be of another: after a while in
// which nobody looked it has to be what was there right after ours, or, if nobody saw
// that, to be as long.
func (c *courier) recognises(p *profile.Profile, s tmux.Screen, l letter, k store.Key, resume bool) bool {
	text, _ := p.Composer(shown(s))
	switch {
	case profile.Holds(text, l.mark):
		return true
	case !resume:
		c.collapsed = collapsed{k, text}
		return true
	case c.collapsed.key == k:
		return c.collapsed.text == text
	}
	return profile.Measures(text, l.text)
}

// collapsed is what a composer showed in place of a message.
type collapsed struct {
	key  store.Key
	text string
}

// stuckTest says whether our text, and nothing else, stands unsent in the composer
// of a program that waits, or that works and has a queue behind that key: then the key
// was lost, and one more does no harm.
func (c *courier) stuckTest(t *team.Terminal, l letter, w way) func(tmux.Screen) bool {
	var still team.Stillness
	return func(s tmux.Screen) bool {
		p, now, looks := t.Profile, c.o.Now(), looksOf(t.Profile, s)
		return (looks == profile.Idle || looks == profile.Busy && w.key == tmux.Key(p.QueueKey)) &&
			holdsOnly(p, s, l) &&
			touched(now, s) == free &&
			now.Sub(still.Of(now, steadyPart(p, s))) >= p.Settle
	}
}

// ttyMode is how a terminal is read: by lines, or byte by byte.
type ttyMode struct{ canonical, known bool }

func modeOf(t *team.Terminal) ttyMode {
	canonical, err := tmux.Canonical(t.TTY)
	return ttyMode{canonical, err == nil}
}

// takenTest says whether the program took the text after the key. A program that
// changes the mode of its terminal may throw away what is in it, as those do that
// are just starting: then that nothing is left unread proves nothing.
func (c *courier) takenTest(
	t *team.Terminal,
	job store.Job,
	l letter,
	before ttyMode,
	began time.Time,
) func(tmux.Screen) tmux.Look {
	p := t.Profile
	return func(s tmux.Screen) tmux.Look {
		if reportedSince(c.m, job, began) {
			return tmux.Yes
		}

		_, composing := p.Composer(shown(s))
		waiting := unread(t) != free // before the mode: both change at once
		switch {
		case t.Ended.Load() || s.Dead, !p.HasMarkers() && modeOf(t) != before:
			return tmux.Stop
		case waiting, holds(p, s, l), !tmux.Alive(t.PID): // what a dead program had not read is gone
			return tmux.Wait
		case !composing && p.HasMarkers() && hides(p.Look(s.Lines)):
			return tmux.Wait
		}

		return tmux.Yes
	}
}

// hides reports that on such a screen a text can stand in a composer that is not seen:
// the Enter may have gone to a dialog that opened at that moment.
func hides(shows profile.State) bool { return shows == profile.Unknown || shows == profile.Dialog }

// conclude records the outcome of a submission. What is not known stays in
// `typing`, to be resolved by what the pane remembers.
func (c *courier) conclude(
	ctx context.Context,
	t *team.Terminal,
	job store.Job,
	w way,
	out tmux.Outcome,
	failure error,
) (done bool, err error) {
	if errors.Is(failure, context.DeadlineExceeded) && out.Phase == tmux.Pasted && out.Reason == tmux.InMode {
		ctx, failure = context.WithoutCancel(ctx), nil // a person who scrolls for long is no error
	}
	if failure != nil && out.Phase != tmux.Taken {
		return false, failure
	}

	c.cautious = out.Phase == tmux.Refused
	if out.Phase == tmux.Taken || !out.EnteredAt.IsZero() {
		c.give(t, job, out)
	}

	switch {
	case out.Phase == tmux.Taken, out.Phase == tmux.Entered && out.Reason == tmux.NoRefusal:
		return true, errors.Join(
			c.close(ctx, job, proven(job, c.evidence(t, job, w, out)+c.with(job))...),
			c.giveBack(ctx, job),
		)
	case out.Phase == tmux.Refused && out.Reason == tmux.Repeated:
		c.seq = 0 // the database is older than the pane: count on from the pane
		return false, c.close(
			ctx,
			job,
			store.Change{State: parley.DeliveryQueued, Reason: "the terminal was ahead in its count"},
		)
	case out.Phase == tmux.Refused:
		return false, c.close(ctx, job, store.Change{State: parley.DeliveryHeld, Reason: refusal(c.m, out)})
	case out.Phase == tmux.Pasted && (out.Reason == tmux.Blocked || out.Reason == tmux.NotReady || out.Reason == tmux.InMode || out.Reason == tmux.Touched) && !t.Ended.Load():
		reason := "pasted; Enter waits: " + refusal(c.m, out)
		return false, c.note(ctx, job, reason)
	case out.Phase == tmux.Entered && out.Reason == tmux.NotTaken && t.Profile.Look(out.Screen) == profile.Dialog:
		return false, c.note(
			ctx,
			job,
			"typed and entered; whether it was taken shows when the dialog in its terminal is answered",
		)
	case out.Phase == tmux.Entered:
		if unread(t) != free {
			c.unproven = append(c.unproven, unproven{job.Key, t, modeOf(t)})
		}
		return true, c.close(ctx, job, store.Change{State: parley.DeliveryUnconfirmed, Reason: c.notTaken(t, job, out)})
	}

	return true, c.close(
		ctx,
		job,
		store.Change{
			State:  parley.DeliveryUnconfirmed,
			Reason: "pasted, but Enter was not pressed: " + refusal(c.m, out),
		},
	)
}

// close ends a delivery's time in `typing`.
func (c *courier) close(ctx context.Context, job store.Job, changes ...store.Change) error {
	if err := c.o.Store.Advance(ctx, job.Key, changes...); err != nil {
		return err
	}
	c.open, c.openOn = false, nil
	return nil
}

// note says why a delivery that stays in `typing` does not get on.
func (c *courier) note(ctx context.Context, job store.Job, reason string) error {
	if job.Reason == reason {
		return nil
	}
	return c.o.Store.Advance(ctx, job.Key, store.Change{State: parley.DeliveryTyping, Reason: reason})
}

// proven are the rungs that a delivery has reached when its text was taken: the
// whole text counts as read by that, a notice of it does not.
func proven(job store.Job, evidence string) []store.Change {
	changes := []store.Change{{State: parley.DeliverySubmitted, Evidence: evidence}}
	if !job.Notice {
		changes = append(
			changes,
			store.Change{State: parley.DeliveryRead, Evidence: "its full text was submitted and confirmed"},
		)
	}
	return changes
}

func (c *courier) evidence(t *team.Terminal, job store.Job, w way, out tmux.Outcome) string {
	typed := "typed" + w.note
	if out.Again {
		typed += ", with a second " + string(w.key)
	}

	switch {
	case reportedSince(c.m, job, lastOf(out.PastedAt, job.Message.Timestamp)):
		return typed + ", and its own report names the message"
	case out.Phase == tmux.Entered:
		return typed + " and entered; the profile asks for no look at the screen"
	case t.Profile.HasMarkers():
		return typed + ", and its composer was emptied of it"
	}

	return typed + ", and its program read it from the terminal"
}

func (c *courier) notTaken(t *team.Terminal, job store.Job, out tmux.Outcome) string {
	switch {
	case unread(t) != free:
		return "typed and entered, but its program has not read it yet"
	case c.unsaid == job.Key:
		return "typed and entered, and gone from its composer; but its program has not reported it, as it does, and may have dropped it"
	case c.lingers == job.Key:
		return "typed and entered, but it stood in its composer while someone typed there, and was not seen to be taken after that"
	case out.Reason == tmux.Blocked:
		return "typed and entered, but its terminal changed its mode or closed meanwhile and may have dropped it"
	}
	return "typed and entered, but its terminal does not show that it was taken"
}

// refusal is why tmux held back, in words.
func refusal(m *team.Member, out tmux.Outcome) string {
	switch out.Reason {
	case tmux.InMode:
		return "someone is scrolling in its terminal (copy mode)"
	case tmux.Touched:
		return "someone is typing in its terminal"
	case tmux.Dead, tmux.Gone:
		return "its program has ended; " + comeback(m.Agent())
	case tmux.InputOff:
		return inputOff
	case tmux.Shared:
		return shared
	case tmux.Foreign:
		return "the pane is not this agent's any more"
	case tmux.Blocked:
		return "a dialog opened in its terminal"
	case tmux.NotShown:
		return "its terminal did not show the text"
	}

	return strings.TrimSpace(cmp.Or(out.Detail, string(out.Reason)))
}

// named reports whether the program itself said, since then, that it was given the
// message.
func reportedSince(m *team.Member, job store.Job, since time.Time) bool {
	at, ok := m.NamedAt(parley.Short(job.Message.ID))
	return ok && !at.Before(since)
}

func lastOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
