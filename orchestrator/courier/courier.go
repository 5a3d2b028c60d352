package courier

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
)

const (
	// batch is how many waiting messages a courier reads at once.
	batch = 16
	// recheck is how long a courier waits before it looks again at a terminal that
	// was not ready, doubling to restful, or to brisk while the obstacle is expected
	// to pass. Changes of state and new messages wake it sooner.
	recheck = 10 * time.Millisecond
	restful = time.Second
)

// courier is the only writer to one agent's terminal. Its fields are its own goroutine's. Lower
// parts never call higher ones.
type courier struct {
	*post
	ledger   *ledger
	view     *view
	typist   *typist
	recovery *recovery

	doors   doorway   // the own door of the program
	blocked bool      // the last look found what only the operator passes: a blocked program, a spent budget
	ahead   foresight // of the message that is being stored on the offer
}

// foresight is a look that found the way free for a message, while that was being stored.
type foresight struct {
	messageID string
	on        *team.Terminal
	way       attempt.Way
	began     time.Time
	ended     time.Time
}

// Start delivers to a terminal agent until Close; for others it does nothing.
func (o *Couriers) Start(m *team.Member) {
	if m.Kind != parley.KindTerminal {
		return
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancels = append(o.cancels, cancel)
	c := o.newCourier(m)
	o.group.Go(func() { c.run(ctx) })
}

// newCourier returns a courier that knows nothing of what the daemon before it did.
func (o *Couriers) newCourier(m *team.Member) *courier {
	p := &post{o, m}
	l := &ledger{post: p, open: true, behind: true}
	v := &view{post: p, ledger: l}
	y := &typist{post: p, ledger: l, view: v}
	r := &recovery{post: p, ledger: l, view: v, typist: y}
	doors := doorway{v: v, hook: hookway{v: v}}
	return &courier{post: p, ledger: l, view: v, typist: y, recovery: r, doors: doors}
}

// Close ends all couriers, each between two messages, and waits for them.
func (o *Couriers) Close() {
	o.mu.Lock()
	o.closed = true
	for _, cancel := range o.cancels {
		cancel()
	}
	o.mu.Unlock()

	o.group.Wait()
}

// run delivers until ctx ends, which it does between two messages.
func (c *courier) run(ctx context.Context) {
	retry := time.NewTimer(0)
	defer retry.Stop()

	for pause := recheck; ; pause = min(2*pause, restful) {
		select {
		case <-ctx.Done():
			return
		case <-c.m.Wakeups:
			pause = recheck
		case <-retry.C:
		}

		var again bool
		pause, again = c.turn(ctx, pause)
		retry.Stop()
		if again {
			retry.Reset(pause)
		}
	}
}

// turn makes one round. It reports whether to come back by itself, and returns the pause
// before that, which is at most as long as the one given.
func (c *courier) turn(ctx context.Context, pause time.Duration) (time.Duration, bool) {
	again, err := c.round(ctx)
	if err != nil && ctx.Err() == nil {
		c.o.Log.Error("deliver", "agent", c.m.Name, "error", err)
		again, c.ledger.open = true, true
	}
	if c.ledger.soon || c.doors.eager {
		pause = min(pause, brisk)
	}
	return pause, again
}

// round delivers what waits, as far as the terminal is ready. It reports
// whether to come back by itself.
func (c *courier) round(ctx context.Context) (again bool, err error) {
	c.ledger.soon, c.doors.eager = false, false
	if !c.o.Roster.Hosts.Here(c.m) {
		c.m.TakeQueued() // its own host types to it, and reads it from the database
		return false, nil
	}
	claimed, busy := c.withdraw()
	if busy {
		c.lookAhead(ctx)
		return false, nil // whoever stores its message wakes it
	}

	if c.m.Started.Swap(false) { // with a message that was handed over as well: only the database knows
		c.ledger.leave(nil)
		c.ledger.behind = true
	}
	if c.ledger.open {
		if err := c.settleOpen(ctx); err != nil || c.ledger.open {
			return true, err
		}
	}
	c.m.NoteUnsent(parley.Cause{}, c.o.Now())
	defer c.doors.hook.begin()()

	if err := c.recovery.proveLate(ctx); err != nil {
		return true, err
	}
	if err := c.doors.follow(ctx); err != nil {
		return true, err
	}

	if claimed != nil {
		if done, err := c.deliver(ctx, *claimed); err != nil || !done {
			c.ledger.behind = true
			return c.m.Terminal() != nil, err
		}
	}

	for ctx.Err() == nil {
		jobs, err := c.next(ctx)
		if err != nil {
			return len(c.typist.unread) > 0 || len(c.doors.open) > 0, err
		}
		if len(jobs) == 0 {
			return c.rest(ctx)
		}

		for i, job := range jobs {
			done, err := c.deliver(ctx, job)
			if err == nil && !done && c.blocked {
				if done, err = c.deliverInsisted(ctx); done {
					c.ledger.behind = true
					break
				}
			}

			if err != nil || !done {
				c.ledger.behind = true
				return c.m.Terminal() != nil, err // a launch wakes it
			}

			if i < len(jobs)-1 && c.m.HasUrgent() { // an urgent one goes before the rest
				c.ledger.behind = true
				break
			}
		}
	}

	return false, nil
}

// rest does what is left to a courier without a message: it follows those that it gave.
func (c *courier) rest(ctx context.Context) (again bool, err error) {
	c.m.NoteLeftover(parley.Cause{}, "", false, c.o.Now())
	c.doors.hook.beckon(c.m.Terminal(), nil)
	watch := c.recovery.watchGiven
	if c.view.stranded != nil {
		watch = c.recovery.watchStranded
	}

	watches, err := watch(ctx)
	if err == nil {
		c.offer()
	}
	return len(c.typist.unread) > 0 || len(c.doors.open) > 0 || watches, err
}

// deliverInsisted delivers the first message that the operator wants typed although
// the agent is blocked, or its budget used up. It passes those that wait for the end of that.
func (c *courier) deliverInsisted(ctx context.Context) (done bool, err error) {
	wanted := c.m.Forced()
	if len(wanted) == 0 {
		return false, nil
	}
	jobs, err := c.o.Store.PendingAmong(ctx, c.m.ID, wanted)
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	return c.deliver(ctx, jobs[0])
}

// next returns what is to be delivered now: what was handed over or, when the
// courier is behind, what the database has.
func (c *courier) next(ctx context.Context) ([]store.Job, error) {
	fresh := c.m.TakeQueued()
	c.ledger.behind = c.m.Missed.Swap(false) || c.ledger.behind
	if !c.ledger.behind {
		return fresh, nil
	}
	jobs, err := c.o.Store.Pending(ctx, c.m.ID, batch)
	if err == nil && len(jobs) < batch {
		c.ledger.behind = false // what comes from now on is handed over
	}
	return jobs, err
}

// deliver takes one message as far as it can. It is done when the next one may
// follow.
func (c *courier) deliver(ctx context.Context, job store.Job) (done bool, err error) {
	c.m.Typing.Lock() // stop waits here for the message in hand
	defer c.m.Typing.Unlock()
	if c.m.Started.Load() { // meanwhile, perhaps with this one
		return false, nil
	}

	t := c.m.Terminal()
	looked, w, h := c.o.Now(), c.ahead.way, sight.Hold{}
	var seen time.Time // when the look ahead ended
	if c.ahead.holds(t, &job, looked) {
		looked, seen = c.ahead.began, c.ahead.ended
	} else {
		w, h = c.view.ready(ctx, t, &job, looked)
	}
	if undone, err := c.recovery.noteUndone(ctx); undone || err != nil {
		return false, err
	}
	c.ahead = foresight{}
	if h.None() && !w.By.Works() {
		c.doors.hook.noteRest(t)
	}
	decided := cmp.Or(seen, c.o.Now()) // an answer of the door can take long, and a claim, too
	if e, through := c.doors.wants(ctx, t, &job, h); through {
		if !team.IsUrgent(job) && c.m.HasUrgent() {
			c.ledger.soon = true // an urgent one came meanwhile, and goes first
			return false, nil
		}
		return c.doors.give(ctx, t, job, e, h)
	}
	h = c.doors.tell(h)
	if h.None() {
		h = c.doors.open.ahead()
	}
	c.blocked = h.Blocked() && h.Only || h.Code() == parley.HoldBudget
	if !h.None() {
		c.doors.hook.beckon(t, &job)
		return false, c.ledger.hold(ctx, job, h)
	}
	return c.carry(ctx, t, job, w, looked, decided)
}

// carry brings a message for which the way was free into its terminal. The look began at looked, and was weighed at
// decided: a claim can take long.
func (c *courier) carry(
	ctx context.Context, t *team.Terminal, job store.Job, w attempt.Way, looked, decided time.Time,
) (done bool, err error) {
	if c.view.stranded != nil {
		if over, done, err := c.recovery.settleStranded(ctx, t, &job, w); over || err != nil {
			return done, err
		}
	}

	if kept, err := c.doors.keeps(ctx, t, job); kept || err != nil {
		return kept, err
	}

	ctx, cancel := unhurried(ctx)
	defer cancel()

	if !team.IsUrgent(job) && c.m.HasUrgent() {
		c.ledger.soon = true // an urgent one came during the look, and goes first
		return false, c.ledger.release(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))
	}

	l := c.o.compose(c.m, t.Profile, &job)
	if claimed, done, err := c.ledger.claim(ctx, &job, l); err != nil || !claimed {
		return done, err
	}
	if now := c.o.Now(); now.Sub(looked) > staleLook || now.Sub(decided) >= slowClaim {
		if h := c.view.lookAgain(ctx, t, &job); !h.None() {
			return false, c.ledger.close(ctx, job, change(parley.DeliveryHeld, h))
		}
	}

	if w.By == attempt.PassLimit {
		t.Limit.Resume()
	}
	c.m.StartTurn(&job.Message)
	c.ledger.begin(job.PaneSeq, t)

	return c.typist.submit(ctx, t, job, c.typist.newAttempt(t, &job, l, w, false))
}

// settleOpen resolves deliveries that were left in `typing`, by what the pane
// itself remembers.
func (c *courier) settleOpen(ctx context.Context) error {
	c.m.Typing.Lock()
	defer c.m.Typing.Unlock()

	t := c.m.Terminal()
	if t == nil || c.ledger.openOn != nil && c.ledger.openOn != t {
		if err := c.o.Abandon(ctx, c.m, "the terminal went away"); err != nil {
			return err
		}
		c.ledger.settled()
		return nil
	}

	if !c.ledger.numbered {
		_ = c.o.releaseKeys(ctx, &c.view.memory, t) // the look before the next message tries again
	}

	jobs, err := c.o.Store.Typing(ctx, c.m.ID)
	if err != nil {
		return err
	}

	c.ledger.settled()
	ctx, cancel := unhurried(ctx)
	defer cancel()

	for _, job := range jobs {
		if job.Door {
			c.doors.restore(t, job)
			continue
		}
		c.ledger.leave(t)
		if _, err := c.recovery.resolve(ctx, t, job); err != nil {
			return err
		}
		if c.ledger.open {
			return nil
		}
	}

	return nil
}
