package courier

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
)

const (
	// brisk is how often a courier looks while an obstacle is expected to pass.
	brisk = 100 * time.Millisecond
	// holdAfter is how long a brief obstacle may last before the message is shown
	// as held: most pass within a second.
	holdAfter = 3 * time.Second
	// typingTime bounds one delivery, from its claim to its outcome.
	typingTime = 60 * time.Second
	// partingTime is how much of it is left when the daemon ends; what is in hand
	// after it is resolved by the next one, from what the pane remembers.
	partingTime = 3 * time.Second
)

// ledger is a courier's part of the record: which delivery is in hand, and which one waits. It knows no screen.
type ledger struct {
	*post

	seq      uint64         // the last pane sequence number given
	numbered bool           // seq was read off the pane
	behind   bool           // the database may hold messages that were not handed over, or that could not be delivered
	open     bool           // a delivery may have been left in `typing`, see leave
	openOn   *team.Terminal // where
	waiting  store.Key      // the message that a brief obstacle keeps waiting
	since    time.Time      // since when
	soon     bool           // it is expected to pass at any moment
}

// claim claims a message that is about to be typed, unless that was done as it was stored. Without
// the claim, done says whether the next message may follow.
func (l *ledger) claim(ctx context.Context, job *store.Job, text letter.Letter) (claimed, done bool, err error) {
	switch {
	case job.State != parley.DeliveryTyping:
	case text.Announced:
		return false, false, l.release(ctx, *job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))
	default:
		return l.m.Offers.Begin(job.Key), false, nil
	}

	job.Announced, job.PaneSeq = text.Announced, l.seq+1
	err = l.o.Store.Claim(ctx, job.Key, job.PaneSeq, text.Announced)
	if errors.Is(err, store.ErrStale) {
		return false, true, nil // read or expired meanwhile
	}
	return err == nil, false, err
}

// leave notes that a delivery may have been left in `typing` on a terminal; nil: by a daemon before this one.
func (l *ledger) leave(on *team.Terminal) { l.open, l.openOn = true, on }

// settled notes that none is left there.
func (l *ledger) settled() { l.open, l.openOn = false, nil }

// begin notes that a text is about to be typed into a terminal.
func (l *ledger) begin(seq uint64, on *team.Terminal) {
	l.seq, l.waiting, l.soon = seq, store.Key{}, false
	l.leave(on)
}

// release gives back a message that was claimed as it was stored. Others have no owner yet.
func (l *ledger) release(ctx context.Context, job store.Job, to store.Change) error {
	if job.State != parley.DeliveryTyping || !l.m.Offers.Begin(job.Key) {
		return nil
	}
	l.leave(l.m.Terminal())
	return ignoreStale(l.close(ctx, job, to))
}

// close ends a delivery's time in `typing`.
func (l *ledger) close(ctx context.Context, job store.Job, changes ...store.Change) error {
	if err := l.o.Store.Advance(ctx, job.Key, changes...); err != nil {
		return err
	}
	l.settled()
	return nil
}

// note says why a delivery that stays in `typing` does not get on.
func (l *ledger) note(ctx context.Context, job store.Job, h sight.Hold) error {
	l.m.NoteUnsent(h.Cause, l.o.Now())
	if job.Cause == h.Cause {
		return nil
	}
	return l.o.Store.Advance(ctx, job.Key, change(parley.DeliveryTyping, h))
}

// hold says why a message waits; a brief obstacle only when it has lasted. While nothing
// changes this writes nothing.
func (l *ledger) hold(ctx context.Context, job store.Job, h sight.Hold) error {
	now := l.o.Now()
	if l.waiting != job.Key {
		l.waiting, l.since = job.Key, now
	}
	l.soon = h.Brief() && now.Sub(l.since) < holdAfter
	if job.State == parley.DeliveryTyping {
		return l.release(ctx, job, change(parley.DeliveryHeld, h))
	}
	if l.soon {
		return nil
	}
	if job.State == parley.DeliveryHeld && job.Cause == h.Cause {
		return nil
	}
	return ignoreStale(l.o.Store.Advance(ctx, job.Key, change(parley.DeliveryHeld, h)))
}

// unhurried returns a context for one delivery, from its claim to its outcome. The
// end of ctx interrupts it only after partingTime.
func unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), typingTime)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(partingTime):
			cancel()
		case <-own.Done():
		}
	})
	return own, func() { stop(); cancel() }
}
