package courier

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/store"
)

// memoryStore keeps deliveries as package store does, without a database.
type memoryStore struct {
	rows    []*memoryRow
	claimed func() // called in each claim, unless it is nil
}

type memoryRow struct {
	job      store.Job
	typed    bool // before it was begun again
	readAt   time.Time
	withheld bool
	dealt    bool // the operator has dismissed it
	undone   time.Time
	started  bool // its program was started with it
}

func (s *memoryStore) find(k store.Key) *memoryRow {
	for _, r := range s.rows {
		if r.job.Key == k {
			return r
		}
	}
	return nil
}

// add stores a delivery of a message, queued.
func (s *memoryStore) add(m parley.Message, k store.Key) store.Job {
	r := &memoryRow{job: store.Job{Key: k, Message: m, State: parley.DeliveryQueued, QueuedAt: m.Timestamp}}
	s.rows = append(s.rows, r)
	return r.job
}

func (s *memoryStore) jobs(limit int, which func(*memoryRow) bool) []store.Job {
	n := 0
	for _, r := range s.rows {
		if which(r) {
			n++
		}
	}
	jobs := make([]store.Job, 0, min(limit, n)) // in the order of their numbers
	for _, urgent := range []bool{true, false} {
		for _, r := range s.rows {
			if len(jobs) < cap(jobs) && (r.job.Message.Priority == parley.PriorityUrgent) == urgent && which(r) {
				jobs = append(jobs, r.job)
			}
		}
	}
	return jobs
}

func (r *memoryRow) waits() bool {
	return r.job.State == parley.DeliveryQueued || r.job.State == parley.DeliveryHeld
}

func (s *memoryStore) Pending(_ context.Context, recipient string, limit int) ([]store.Job, error) {
	return s.jobs(limit, func(r *memoryRow) bool {
		return r.job.Key.RecipientID == recipient && r.waits() && !r.withheld
	}), nil
}

func (s *memoryStore) PendingAmong(_ context.Context, recipient string, ids []string) ([]store.Job, error) {
	return s.jobs(len(ids), func(r *memoryRow) bool {
		return r.job.Key.RecipientID == recipient && r.waits() && slices.Contains(ids, r.job.Message.ID)
	}), nil
}

func (s *memoryStore) Typing(_ context.Context, recipient string) ([]store.Job, error) {
	return s.jobs(1000, func(r *memoryRow) bool {
		return r.job.Key.RecipientID == recipient && r.job.State == parley.DeliveryTyping
	}), nil
}

func (s *memoryStore) Silent(_ context.Context, recipient string) ([]store.Job, error) {
	return s.jobs(1000, func(r *memoryRow) bool {
		return r.job.Key.RecipientID == recipient && r.job.State == parley.DeliveryUnconfirmed && !r.dealt &&
			r.job.Door && r.job.Code() == parley.EndedDoorSilent
	}), nil
}

func (s *memoryStore) TypedAs(_ context.Context, recipient string, paneSeq uint64) (*store.TypedJob, error) {
	var last *memoryRow
	for _, r := range s.rows {
		unproven := r.job.State == parley.DeliveryUnconfirmed && !r.refused() || r.waits() && r.typed
		newer := last == nil || r.job.Key.MessageSeq > last.job.Key.MessageSeq
		if r.job.Key.RecipientID == recipient && r.job.PaneSeq == paneSeq && unproven && newer {
			last = r
		}
	}
	if last == nil {
		return nil, nil
	}
	return &store.TypedJob{Job: last.job, Dismissed: last.dealt}, nil
}

func (s *memoryStore) Claim(_ context.Context, k store.Key, paneSeq uint64, announced bool) error {
	r := s.find(k)
	if r == nil || !r.waits() {
		return store.ErrStale
	}
	r.job.State, r.job.Cause = parley.DeliveryTyping, parley.Cause{}
	r.job.PaneSeq, r.job.Announced, r.job.Door, r.job.Argument = paneSeq, announced, false, false
	if s.claimed != nil {
		s.claimed()
	}
	return nil
}

func (s *memoryStore) ClaimDoor(ctx context.Context, k store.Key) error {
	err := s.Claim(ctx, k, 0, false)
	if r := s.find(k); err == nil {
		r.job.Door, r.job.Argument = true, r.started
	}
	return err
}

// ClaimArgument claims a delivery for the argument of its program.
func (s *memoryStore) ClaimArgument(ctx context.Context, k store.Key) error {
	err := s.ClaimDoor(ctx, k)
	if r := s.find(k); err == nil {
		r.started, r.job.Argument = true, true
		r.job.Cause = parley.HoldArgument.With("it is starting")
	}
	return err
}

// steps is the ladder of package store.
var steps = map[parley.DeliveryState]string{
	parley.DeliveryQueued:      "held submitted read failed expired",
	parley.DeliveryHeld:        "queued held submitted read failed expired",
	parley.DeliveryTyping:      "typing queued held submitted read failed unconfirmed",
	parley.DeliverySubmitted:   "submitted read",
	parley.DeliveryRead:        "answered",
	parley.DeliveryUnconfirmed: "submitted read",
	parley.DeliveryFailed:      "read",
	parley.DeliveryExpired:     "read",
}

func (s *memoryStore) Advance(_ context.Context, k store.Key, changes ...store.Change) error {
	r := s.find(k)
	if r == nil {
		return store.ErrStale
	}
	return r.climb(changes)
}

func (r *memoryRow) climb(changes []store.Change) error {
	state, reason := r.job.State, r.job.Cause
	moved := false
	for _, c := range changes {
		if c.State == state && c.Reason() == reason {
			continue
		}
		switch undone := c.Code() == parley.EndedUndone; {
		case undone && (state == parley.DeliverySubmitted || state == parley.DeliveryRead):
			r.readAt = time.Time{}
		case !slices.Contains(strings.Fields(steps[state]), string(c.State)):
			return store.ErrStale
		}
		state, reason, moved = c.State, c.Reason(), true
		if reason.Code() == parley.EndedUndone {
			r.undone = time.Now()
		}
		if state == parley.DeliveryRead && r.readAt.IsZero() {
			r.readAt = time.Now()
		}
	}
	if !r.readAt.IsZero() && moved && !state.Read() {
		state, reason = parley.DeliveryRead, parley.Cause{}
	}
	r.job.State, r.job.Cause = state, reason
	return nil
}

// refused reports whether the program refused the text: that is as good as not typed.
func (r *memoryRow) refused() bool { return r.job.Code() == parley.EndedRefused }

// retry begins a delivery again.
func (s *memoryStore) retry(k store.Key) (store.Job, bool) {
	r := s.find(k)
	if r == nil {
		return store.Job{}, false
	}
	switch r.job.State {
	case parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired:
	default:
		return store.Job{}, false
	}
	r.typed = (r.typed || r.job.State == parley.DeliveryUnconfirmed) && !r.refused()
	r.job.State, r.job.Cause, r.job.QueuedAt = parley.DeliveryQueued, parley.Cause{}, time.Now()
	r.withheld, r.dealt = false, false
	return r.job, true
}

// attest records that a recipient itself names messages, by their short ids.
func (s *memoryStore) attest(recipient string, refs []string, at time.Time, mayRefuse bool) {
	for _, r := range s.rows {
		if r.job.Key.RecipientID != recipient || r.job.PaneSeq == 0 && !r.job.Door ||
			!slices.ContainsFunc(refs, func(ref string) bool { return strings.HasPrefix(r.job.Message.ID, ref) }) {
			continue
		}
		switch was := r.job.State; {
		case r.refused(), !r.undone.IsZero() && !at.After(r.undone), was == parley.DeliveryExpired,
			was == parley.DeliveryFailed,
			r.waits() && !r.typed, was.Read(),
			was == parley.DeliverySubmitted && r.job.Announced:
			continue
		case mayRefuse && was != parley.DeliverySubmitted:
			continue
		}
		said := []store.Change{{State: parley.DeliverySubmitted}, {State: parley.DeliveryRead}}
		if r.job.State == parley.DeliverySubmitted {
			said = said[1:]
		} else if r.job.Announced {
			said = said[:1]
		}
		if err := r.climb(said); err != nil {
			panic(fmt.Sprint("the simulated store refuses a report: ", err))
		}
	}
}
