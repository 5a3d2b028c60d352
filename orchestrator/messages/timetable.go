package messages

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/store"
)

// Timetable sends each planned message when its time comes.
type Timetable struct {
	Messages *Service
	Service  parley.Service // starts agents
	Leads    func() bool    // whether this host sends, of those that share the database
	Log      *slog.Logger

	sending sync.WaitGroup

	mu      sync.Mutex
	stale   bool      // the database may have a nearer time than next
	next    time.Time // when to look again; zero for never
	looked  time.Time // when the clock was looked at last
	led     bool      // this host sent then
	plans   Plans
	running map[string]bool // the schedules whose time is being dealt with, by id
}

const (
	// retryAfter is when a time comes again that could not be dealt with, as while communication is paused.
	retryAfter = 5 * time.Second
	// keptDone is how long a schedule is still listed after its last time.
	keptDone = 7 * 24 * time.Hour
	// setBack is how far a clock must go back to count as put back.
	setBack = time.Minute
)

// Plans returns what is known of what comes.
func (tt *Timetable) Plans() *Plans { return &tt.plans }

// Changed has the schedules read again: there may be nearer times.
func (tt *Timetable) Changed() {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	tt.stale = true
}

// Run sends what is due until ctx ends, and waits for what is being sent. It reads the database when a time comes, when
// a schedule has changed, and when the clock was put back.
func (tt *Timetable) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	defer tt.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := tt.Look(ctx); err != nil && ctx.Err() == nil {
			tt.Log.Error("look after the schedules", "error", err)
		}
	}
}

// Wait waits for what is being sent.
func (tt *Timetable) Wait() { tt.sending.Wait() }

// Look deals with all times that have come.
func (tt *Timetable) Look(ctx context.Context) error {
	now, leads := tt.Messages.Now(), tt.Leads()
	if !tt.due(now, leads) {
		return nil
	}
	if leads {
		if err := tt.Messages.Store.Schedules.Forget(ctx, now.Add(-keptDone)); err != nil {
			tt.Changed()
			return err
		}
	}
	list, err := tt.Messages.Store.Schedules.List(ctx)
	if err != nil {
		tt.Changed()
		return err
	}
	tt.plans.set(tt.Messages, list)
	if !leads {
		return nil
	}

	var next time.Time
	for i := range list {
		p := &list[i]
		if p.State != parley.ScheduleActive || p.Next == nil {
			continue
		}
		if p.Every != "" && now.Before(p.NextFrom.Add(-setBack)) {
			if err := tt.putBack(ctx, p, now); err != nil {
				return err
			}
		}
		at := *p.Next
		if !at.After(now) {
			tt.begin(ctx, p)
			at = now.Add(retryAfter)
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}

	tt.mu.Lock()
	defer tt.mu.Unlock()
	tt.next = next
	return nil
}

// due reports whether there is something to do, and notes that it is done now.
func (tt *Timetable) due(now time.Time, leads bool) bool {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	stale := tt.stale || tt.looked.IsZero() || leads != tt.led || now.Before(tt.looked.Add(-setBack))
	tt.looked, tt.led, tt.stale = now, leads, false
	return stale || leads && !tt.next.IsZero() && !now.Before(tt.next)
}

// putBack finds the next time of a rule again, after the clock was put back behind the time when it was found. The
// times that had their messages by the wrong clock have none again.
func (tt *Timetable) putBack(ctx context.Context, p *parley.Schedule, now time.Time) error {
	return tt.Messages.Store.Schedules.Change(ctx, p.ID, func(stored *parley.Schedule) error {
		if err := advance(stored, now, now); err != nil {
			return err
		}
		p.Next, p.NextFrom = stored.Next, stored.NextFrom
		return nil
	})
}

// begin deals with a time that has come, aside: an agent may have to be started, and a model may answer.
func (tt *Timetable) begin(ctx context.Context, p *parley.Schedule) {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	if tt.running[p.ID] {
		return
	}
	if tt.running == nil {
		tt.running = map[string]bool{}
	}
	tt.running[p.ID] = true
	tt.sending.Go(func() {
		err := tt.take(ctx, p)
		tt.mu.Lock()
		defer tt.mu.Unlock()
		delete(tt.running, p.ID)
		if err == nil {
			tt.stale = true // its next time
		} else if ctx.Err() == nil && !isPassing(err) {
			tt.Log.Error("send what was planned", "schedule", parley.Short(p.ID), "error", err)
		}
	})
}

// take deals with a time of a schedule: it sends the message, or stores why there is none. After an error the time
// comes again.
func (tt *Timetable) take(ctx context.Context, p *parley.Schedule) error {
	schedules := tt.Messages.Store.Schedules
	at, err := tt.timeOf(p)
	if err == nil {
		err = tt.send(ctx, p, at)
	}
	switch {
	case err == nil, errors.Is(err, store.ErrTimeTaken):
		return nil
	case errors.Is(err, store.ErrTimeSent):
		return schedules.Change(ctx, p.ID, func(stored *parley.Schedule) error {
			if stored.Next != nil && stored.Next.Equal(at.Taken) && !at.Next.IsZero() {
				stored.Next, stored.NextFrom = &at.Next, at.Now
			}
			return nil
		})
	case errors.Is(err, store.ErrStillWaits):
		err = schedules.Record(ctx, at, parley.ScheduleSkipped, "an earlier one still waits")
	case isPassing(err) || parley.ErrorCode(err) == parley.Internal:
		return err
	default:
		err = schedules.Record(ctx, at, parley.ScheduleRefused, err.Error())
	}
	if errors.Is(err, store.ErrTimeTaken) {
		return nil
	}
	return err
}

// isPassing reports whether a message is refused for a while, so that its time comes again, late.
func isPassing(err error) bool {
	switch parley.ErrorCode(err) {
	case parley.CommunicationDisabled, parley.RateLimited, parley.StorageUnavailable, parley.DaemonUnavailable,
		parley.TmuxUnavailable:
		return true
	}
	return false
}

// timeOf returns the time that has come: the last one, if several have passed.
func (tt *Timetable) timeOf(p *parley.Schedule) (store.ScheduleTime, error) {
	now := tt.Messages.Now()
	at := store.ScheduleTime{ScheduleID: p.ID, Taken: *p.Next, Due: *p.Next, Now: now}
	if p.Every == "" {
		return at, nil
	}
	nextAfter, err := nextOf(p)
	if err != nil {
		return at, err
	}
	for {
		if at.Next = nextAfter(at.Due); at.Next.IsZero() || at.Next.After(now) {
			return at, nil
		}
		at.Due, at.Missed = at.Next, at.Missed+1
	}
}

// send starts whom it has to, and admits the message as if its owner sent it now.
func (tt *Timetable) send(ctx context.Context, p *parley.Schedule, at store.ScheduleTime) error {
	ms := tt.Messages
	from := ms.Roster.ByID(p.OwnerID)
	if from == nil {
		return parley.Errorf(parley.AgentNotFound, "its owner is not in the team any more").
			Suggest("Remove it: change_schedule with remove.")
	}
	ctx = parley.WithCaller(ctx, parley.Caller{ID: from.ID, Name: from.Name, Kind: from.Kind,
		Operator: from.Kind == parley.KindHuman})
	if p.Start {
		if err := tt.start(ctx, from, p.Message.To); err != nil {
			return err
		}
	}

	d, err := ms.draft(ctx, from, p.Message)
	if err != nil {
		return err
	}
	d.Time, d.Message.Schedule = &at, &parley.ScheduledFor{ScheduleID: p.ID, Due: at.Due,
		Late: parley.IsLate(at.Due, at.Now)}
	d.Replied.Link.Chain, d.Replied.Link.Hop = p.ChainID, p.Hop
	send := func(d admission.Draft) (store.Appended, error) { return ms.sendTo(ctx, from, p.Message.To, d) }
	stored, _, err := ms.Admission.Answered(ctx, ms.Admission.Addressees.ResponderNamed(p.Message.To), false, d, send)
	if stored.Message.ID != "" {
		return nil // what the model says or fails to say has a place of its own
	}
	return err
}

// start starts those recipients whose programs have ended.
func (tt *Timetable) start(ctx context.Context, from *team.Member, names parley.Names) error {
	to, err := tt.Messages.Admission.Addressees.Recipients(from, names)
	if err != nil {
		return err
	}
	for _, m := range to {
		state := m.Agent().State
		if m.Kind != parley.KindTerminal || state != parley.StateTerminated && state != parley.StateExited {
			continue
		}
		_, err := op.RestartAgent.Call(ctx, tt.Service, parley.RestartAgentRequest{Agent: m.ID})
		if err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s could not be started: %w", m.Name, err).Suggest("%s", e.Action)
		}
	}
	return nil
}
