package courier

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// A text can stay in a terminal when its attempt is over: the program lost the Enter, or the
// daemon ended before it. It is parley's own. So it is not taken for a person's draft, nothing is
// typed behind it, and a retry does not type it again: the key that it lacks is pressed where that
// does no harm, and otherwise the operator is asked.

// strand notes that an attempt leaves the text unproven in its terminal.
func (x *typed) strand(job store.Job, a *attempt, out tmux.Outcome) *typed {
	x.Job, x.Dismissed = job, false
	x.State, x.Announced = parley.DeliveryUnconfirmed, x.letter.announced
	x.read = time.Time{}
	x.stranded = stranded{
		phase: out.PanePhase(), pasted: out.PastedAt, left: !a.entered.gone.IsZero() || a.followed.idle,
	}
	return x
}

// leftComposer are the ends of an attempt whose text had left its composer.
var leftComposer = []parley.ReasonCode{parley.EndedUnreported, parley.EndedNoTurn, parley.EndedVanished}

// see notes what a look shows of the text.
func (s *typed) see(o *observation) {
	switch {
	case o.facts.unread > 0:
		s.read = time.Time{}
	case s.read.IsZero():
		s.read = o.now
	}
	s.fate = s.fateOn(o)
	s.stood = s.stood || s.fate == fateAlone || s.fate == fateMixed || s.fate == fateHidden
}

// back reports whether a text in the composer is one that the program was given before: a person can recall
// it, and a program puts back the prompt of a turn that is interrupted at once.
func (s *typed) back(o *observation) bool {
	if !o.profile.HasMarkers() || s.phase == tmux.PanePasted || s.Waits() {
		return false
	}
	return s.left || s.shownAbove(o)
}

// shownAbove reports whether the program shows the text among what it was given.
func (s *typed) shownAbove(o *observation) bool {
	l := &s.letter
	return o.showsAbove(l) && profile.Times(o.Above, l.mark) > s.copies
}

func (s *typed) fateOn(o *observation) fate {
	l := &s.letter

	switch {
	case o.on != s.on:
		return fateGone
	case o.holds(l) && s.back(o):
		return fateBack
	case o.holdsOnly(l) && s.recognises(o):
		return fateAlone
	case o.Composing && profile.Holds(o.Composer, l.mark):
		return fateMixed
	case !o.profile.HasMarkers():
		if s.phase == tmux.PanePasted { // it shows no composer in which the text would be missed
			return fateHidden
		}
		return fateGone
	case s.shownAbove(o) && !s.doubted:
		return fateShown
	case !o.Composing && profile.Shown(o.screen.Lines, l.foot): // it may cover what shows a composer
		return fateHidden
	case s.phase == tmux.PanePasted && o.now.Sub(s.read) < s.drawnWithin(o):
		return fateUndrawn
	}

	return fateGone
}

// drawnWithin is how long the program may take to draw the text that it has read. One that has drawn
// nothing at all since the paste may do so yet.
func (s *typed) drawnWithin(o *observation) time.Duration {
	if !s.pasted.IsZero() && o.screen.Drawn.Before(s.pasted) {
		return max(o.profile.ShowWithin, shownWithin)
	}
	return o.profile.ShowWithin
}

// pressable reports whether the key that the text lacks may be pressed: once more by itself, and
// again when the operator asks for a retry. A text that is not seen gets it only then.
func (s *typed) pressable() bool {
	switch s.fate {
	case fateAlone:
		return s.Waits() || !s.Dismissed && s.phase != tmux.PaneEnteredAgain &&
			(s.on.Profile.HasMarkers() || s.phase == tmux.PanePasted)
	case fateHidden:
		return s.Waits() && !s.on.Profile.HasMarkers()
	}
	return false
}

// hold returns why a message waits while the text may stand in the terminal; h is what else is in
// the way. It lets the message go when the text is gone, or its key may be pressed.
func (s *typed) hold(h hold) hold {
	stands := s.fate == fateAlone || s.fate == fateMixed || s.fate == fateHidden
	seenTo := s.Dismissed && s.fate == fateHidden && !s.on.Profile.HasMarkers()
	covered := s.fate == fateHidden && h.Code == parley.HoldUnknownScreen
	switch {
	case s.fate == fateUndrawn && h.none():
		return held(parley.HoldNotBegun, "")
	case !stands, seenTo, !h.none() && !h.composed() && !covered:
		return h
	case s.pressable():
		return hold{}
	case s.fate == fateHidden && !covered:
		return held(parley.HoldUnsent, parley.Short(s.Message.ID))
	}
	return held(parley.HoldOwnText, "")
}

// lookForStranded finds out whether the text typed last is known to have been given to the
// program, when this daemon does not remember it, and reads again what the operator wants.
// It also reads the last sequence number that the terminal remembers: what was claimed with a
// higher one was never pasted.
func (c *courier) lookForStranded(ctx context.Context, t *team.Terminal) error {
	s := c.stranded
	if s != nil && s.on != t {
		s, c.stranded = nil, nil
	}
	if s == nil && c.numbered {
		return nil // this daemon knows what came of it
	}

	info, err := c.o.host.Pane(t).Info(ctx)
	if err != nil {
		return err
	}
	if c.seq = max(c.seq, info.Seq); c.seq == 0 {
		c.seq = uint64(c.o.Now().UnixMilli()) // the numbers of an earlier pane are not given again
	}
	if !c.numbered {
		if err := c.o.releaseKeys(ctx, &c.memory, t); err != nil {
			return err
		}
	}

	job, err := c.o.Store.TypedAs(ctx, c.m.ID, info.Seq)
	if err != nil {
		return err
	}

	c.numbered = !c.o.leaseOver()
	if job == nil || info.Seq == 0 {
		c.stranded = nil // proven, or typed by nobody
		return nil
	}
	if s == nil || s.Key != job.Key {
		s = c.memory.newText(t)
		s.letter = c.o.recompose(c.m, t.Profile, &job.Job, size{info.Width, info.Height})
		s.left = slices.Contains(leftComposer, job.Code)
	}
	s.TypedJob, s.phase, c.stranded = *job, info.Phase, s

	return nil
}

// releaseKeys lets go of a person's keys that an attempt which was cut off may have kept back. A daemon that is not the
// host any more leaves that to the one that is, which has to know when it happens.
func (o *Couriers) releaseKeys(ctx context.Context, m *memory, t *team.Terminal) error {
	if o.leaseOver() {
		return nil
	}
	waited, err := o.host.Pane(t).ReleaseKeys(ctx)
	if waited { // the program shows them after that
		m.unread = o.Now().Add(keysRest)
	}
	if err == nil {
		m.released = o.Now()
	}
	return err
}

func (o *Couriers) leaseOver() bool { return o.LeaseOver != nil && o.LeaseOver() }

// settleStranded does what the last look at the stranded text makes possible, before job is typed.
// It reports whether that is the end of the round for job, and whether the next may follow.
func (c *courier) settleStranded(
	ctx context.Context, t *team.Terminal, job *store.Job, w way,
) (over, done bool, err error) {
	s := c.stranded
	same := s.Key == job.Key
	switch {
	case s.fate == fateShown:
		c.stranded = nil
		return same, true, ignoreStale(c.o.Store.Advance(ctx, s.Key, rungs(parley.ProofShown, "", s.Announced)...))
	case s.pressable():
		done, err = c.pressStranded(ctx, t, w)
		return true, done && same, err
	case s.fate == fateGone && same && s.stood && s.Waits():
		return true, true, c.giveUpStranded(ctx)
	}
	c.stranded = nil
	return false, false, nil
}

// pressStranded goes on at the key of the stranded text.
func (c *courier) pressStranded(ctx context.Context, t *team.Terminal, w way) (done bool, err error) {
	ctx, cancel := unhurried(ctx)
	defer cancel()

	s := c.stranded
	job := s.Job
	c.memory.text = s
	a := c.newAttempt(t, &job, s.letter, w, true)
	if a.asked = s.Waits(); a.asked {
		if err := c.o.Store.Claim(ctx, job.Key, job.PaneSeq, s.Announced); err != nil {
			return false, ignoreStale(err)
		}
		c.open, c.openOn, job.State = true, t, parley.DeliveryTyping
	}
	c.m.StartTurn(&job.Message)

	return c.submit(ctx, t, job, a)
}

// giveUpStranded closes a retried delivery whose text stood in the terminal, and is gone: somebody
// has sent or cleared it. Only one more retry types it again.
func (c *courier) giveUpStranded(ctx context.Context) error {
	s := c.stranded
	c.stranded = nil
	if err := c.o.Store.Claim(ctx, s.Key, s.PaneSeq, s.Announced); err != nil {
		return ignoreStale(err)
	}
	return c.close(ctx, s.Job, unseen(c.m, &s.Job, parley.EndedVanished, "")...)
}

// watchStranded looks after a text that stands in the terminal while no message waits. It reports
// whether to come back.
func (c *courier) watchStranded(ctx context.Context) (again bool, err error) {
	s, t := c.stranded, c.m.Terminal()
	if s == nil || t == nil || s.on != t {
		c.stranded = nil
		return false, nil
	}

	c.m.Typing.Lock()
	defer c.m.Typing.Unlock()

	w, h := c.ready(ctx, t, &s.Job, c.o.Now())
	c.m.NoteLeftover(hold{}.Hold, "", false, c.o.Now()) // it keeps nobody waiting
	if c.stranded == nil || !h.none() {
		return c.stranded != nil, nil
	}
	_, _, err = c.settleStranded(ctx, t, &s.Job, w)
	return c.stranded != nil, err
}
