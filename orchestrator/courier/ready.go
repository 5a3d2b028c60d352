package courier

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// lookWithin bounds one look at a terminal, which takes milliseconds. A stop waits for it.
const lookWithin = 10 * time.Second

// ready decides whether a message may be typed now, and how. The look begins now or, where that
// is dear, began after a time.
func (c *courier) ready(ctx context.Context, t *team.Terminal, job *store.Job, began time.Time) (way, hold) {
	// tmux tells whole seconds, and the look holds for typingPause after a key.
	since := c.o.Now().Add(-time.Second)
	facts := c.inspect(t, began)
	_, forced := c.m.IsForced(job.Message.ID)
	spent := facts.spent != "" && forced
	if spent {
		facts.spent = ""
	}

	h := c.look(ctx, t, job, &facts)
	c.m.NoteLeftover(h.Hold, h.draft, h.left(), c.o.Now())
	if h.none() {
		w := way{key: tmux.Key(t.Profile.Key), since: since, ahead: c.future, spent: spent}
		return w, c.o.stagger(t.Profile, job)
	}

	w, passes := c.passes(t, job, h)
	w.since, w.ahead, w.spent = since, c.future, spent
	if passes {
		h = hold{}
	}
	return w, h
}

// look reads the terminal and says what is in the way.
func (c *courier) look(ctx context.Context, t *team.Terminal, job *store.Job, facts *facts) hold {
	if facts.unread > 0 {
		c.memory.unread = c.o.Now()
	}
	if h := facts.hold(); !h.none() {
		return h
	}
	if t.Profile.Instant() && c.numbered && !c.memory.cautious {
		return hold{}
	}

	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()

	if err := c.lookForStranded(ctx, t); err != nil {
		return held(parley.HoldUnreadable, parley.CleanLine(err.Error()))
	}
	requested := c.o.Now()
	screen, err := readScreen(ctx, c.o.host.Pane(t), t.Profile, c.o.readings)
	if err != nil {
		return held(parley.HoldUnreadable, parley.CleanLine(err.Error()))
	}
	o := c.observe(t, job, screen)
	o.requested = requested
	c.size, c.future = size{screen.Width, screen.Height}, screen.Ahead(o.now)
	if o.profile.HasMarkers() {
		o.see(&t.Shown)
		o.heed(o.report)
	}
	c.memory.noteCopies(&o, job.Message.Mark())
	if o.refusal() != "" {
		c.memory.served = nil
		c.m.NoteServed(nil)
	}

	h := c.memory.ready(&o)
	if c.stranded != nil {
		c.stranded.see(&o)
		h = c.stranded.hold(h)
	}
	return h
}

// passes says whether a message may go although something is in the way: what its
// operator allowed or asked for, and what the program's own queue is for.
func (c *courier) passes(t *team.Terminal, job *store.Job, h hold) (way, bool) {
	over, forced := c.m.IsForced(job.Message.ID)
	if h.draft != "" && h.draft == over {
		const said = " over a text that is no draft, as the operator said"
		return way{key: tmux.Key(t.Profile.Key), over: true, note: said}, true
	}
	if !h.only {
		return way{}, false
	}

	interrupts := team.IsUrgent(*job) && c.m.Agent().Interruptible
	pressing := job.Message.Priority == parley.PriorityHigh || job.Message.Priority == parley.PriorityUrgent
	key := tmux.Key(t.Profile.Key)

	switch {
	case h.Code == parley.HoldScrolling && interrupts:
		return way{key: key, leave: true}, true
	case h.Code == parley.HoldLimit && c.m.Agent().ResumeAfterLimit && t.Limit.Over(c.o.Now()):
		return way{key: key, note: " after its usage limit had ended", resumes: true}, true
	case h.blocked() && forced:
		return way{key: key, note: " although it was blocked, as the operator asked"}, true
	case h.working() && interrupts:
		return way{key: key, note: " while it worked, as its operator allows", works: true}, true
	case h.only && h.Code == parley.HoldBusy && t.Profile.QueueKey != "" && pressing:
		w := way{key: tmux.Key(t.Profile.QueueKey), note: " into its own queue while it worked", works: true}
		return w, true
	}
	return way{}, false
}

// spread reports whether a message goes to many at once.
func spread(m *parley.Message) bool { return m.Kind == parley.KindBroadcast || m.ThreadID != "" }

// stagger lets the texts of broadcasts and threads pass one at a time for each profile, as far
// apart as it asks for.
func (o *Couriers) stagger(p *profile.Profile, job *store.Job) hold {
	if p.Stagger == 0 || !spread(&job.Message) {
		return hold{}
	}
	o.turns.Lock()
	defer o.turns.Unlock()
	now := o.Now()
	if last := o.turns.last[p.Name]; now.Sub(last) < p.Stagger {
		return held(parley.HoldStaggered, "")
	}
	o.turns.last[p.Name] = now
	return hold{}
}
