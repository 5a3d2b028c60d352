package courier

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// lookWithin bounds one look at a terminal, which takes milliseconds. A stop waits for it.
const lookWithin = 10 * time.Second

// ready decides whether a message may be typed now, and how. The look begins now or, where that
// is dear, began after a time.
func (v *view) ready(ctx context.Context, t *team.Terminal, job *store.Job, began time.Time) (attempt.Way, sight.Hold) {
	// tmux tells whole seconds, and the look holds for typingPause after a key.
	since := v.o.Now().Add(-time.Second)
	facts := v.inspect(t, began)
	_, forced := v.m.IsForced(job.Message.ID)
	spent := facts.Spent != "" && forced
	if spent {
		facts.Spent = ""
	}

	h := v.look(ctx, t, job, &facts)
	v.m.NoteLeftover(h.Cause, h.Draft, h.Code().Left(), v.o.Now())
	if h.None() {
		w := attempt.Way{Key: tmux.Key(t.Profile.Key), Since: since, Ahead: v.future, Spent: spent}
		return w, v.o.stagger(t.Profile, job)
	}

	w, h := v.passes(t, job, h)
	w.Since, w.Ahead, w.Spent = since, v.future, spent
	return w, h
}

// look reads the terminal and says what is in the way.
func (v *view) look(ctx context.Context, t *team.Terminal, job *store.Job, facts *sight.Facts) sight.Hold {
	if facts.Unread > 0 {
		v.memory.Unread = v.o.Now()
	}
	if h := facts.Hold(); !h.None() {
		return h
	}
	if t.Profile.Instant() && v.ledger.numbered && !v.memory.Cautious {
		return sight.Hold{}
	}

	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()

	if err := v.lookForStranded(ctx, t); err != nil {
		return sight.Held(parley.HoldUnreadable, plain.CleanLine(err.Error()))
	}
	requested := v.o.Now()
	screen, err := sight.ReadPane(ctx, v.o.host.Pane(t), t.Profile, v.o.readings)
	if err != nil {
		return sight.Held(parley.HoldUnreadable, plain.CleanLine(err.Error()))
	}
	o := v.observe(t, job, screen)
	o.Requested = requested
	v.future = screen.Ahead(o.Now)
	if o.Profile.HasMarkers() {
		o.See(&t.Shown)
		o.Heed(o.Report)
	}
	v.memory.NoteCopies(&o, job.Message.Mark())
	if x := v.memory.Text; x != nil && x.Keyless {
		x.NoteElsewhere(&o)
	}
	if o.Refusal() != "" {
		v.memory.Served = nil
		v.m.Served.Note(nil)
	}

	h := v.memory.Ready(&o)
	v.memory.NoteNamed(v.m, t)
	v.memory.SeeGiven(&o, h)
	if v.stranded != nil {
		v.stranded.See(&o, v.memory.Mistakes(v.stranded, &o))
		h = v.stranded.Hold(h)
	}
	return h
}

// passes says whether a message may go although something is in the way, and how: what its operator allowed or asked
// for, and what the program's own queue is for. Else it returns what holds the message.
func (v *view) passes(t *team.Terminal, job *store.Job, h sight.Hold) (attempt.Way, sight.Hold) {
	over, forced := v.m.IsForced(job.Message.ID)
	if h.Draft != "" && h.Draft == over {
		return attempt.Way{By: attempt.PassDraft, Key: tmux.Key(t.Profile.Key)}, sight.Hold{}
	}
	if !h.Only {
		return attempt.Way{}, h
	}

	interrupts := team.IsUrgent(*job) && v.m.Agent().Interruptible
	pressing := job.Message.Priority == parley.PriorityHigh || job.Message.Priority == parley.PriorityUrgent
	w := attempt.Way{Key: tmux.Key(t.Profile.Key)}

	switch {
	case h.Code() == parley.HoldScrolling && interrupts:
		w.By = attempt.PassMode
	case h.Code() == parley.HoldLimit && v.m.Agent().ResumeAfterLimit && t.Limit.Over(v.o.Now()):
		w.By = attempt.PassLimit
	case h.Blocked() && forced:
		w.By = attempt.PassBlock
	case h.Working() && interrupts:
		w.By = attempt.PassWork
	case h.Code() == parley.HoldBusy && t.Profile.QueueKey != "" && pressing:
		w = attempt.Way{By: attempt.PassQueue, Key: tmux.Key(t.Profile.QueueKey)}
	default:
		return attempt.Way{}, h
	}
	if w.By.Works() && v.memory.Behind {
		h.Cause = h.Code().With(attempt.DrawsLate)
		return attempt.Way{}, h
	}
	return w, sight.Hold{}
}

// lookAgain looks what is in the way of a message that took long to claim.
func (v *view) lookAgain(ctx context.Context, t *team.Terminal, job *store.Job) sight.Hold {
	facts := v.inspect(t, v.o.Now())
	facts.Spent = "" // as it was decided before
	_, h := v.passes(t, job, v.look(ctx, t, job, &facts))
	return h
}

// spread reports whether a message goes to many at once.
func spread(m *parley.Message) bool { return m.Kind == parley.KindBroadcast || m.ThreadID != "" }

// stagger lets the texts of broadcasts and threads pass one at a time for each profile, as far
// apart as it asks for.
func (o *Couriers) stagger(p *profile.Profile, job *store.Job) sight.Hold {
	if p.Stagger == 0 || !spread(&job.Message) {
		return sight.Hold{}
	}
	o.turns.Lock()
	defer o.turns.Unlock()
	now := o.Now()
	if last := o.turns.last[p.Name]; now.Sub(last) < p.Stagger {
		return sight.Held(parley.HoldStaggered, "")
	}
	o.turns.last[p.Name] = now
	return sight.Hold{}
}
