package team

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"parley"
	"parley/store"
)

// queue has what is to be typed into a terminal.
type queue struct {
	mu     sync.Mutex
	fresh  []store.Job       // stored since the courier last took them
	forced map[string]string // messages that the operator wants typed although the agent is blocked, see Member.Force
}

func (q *queue) add(job store.Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fresh = append(q.fresh, job)
}

func (q *queue) force(messageID, over string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.forced == nil {
		q.forced = map[string]string{}
	}
	q.forced[messageID] = over
}

// TakeQueued returns the messages enqueued since the last call: urgent ones first, then in the order
// in which they were accepted.
func (q *queue) TakeQueued() []store.Job {
	q.mu.Lock()
	defer q.mu.Unlock()

	jobs := q.fresh
	q.fresh = nil
	slices.SortFunc(jobs, func(a, b store.Job) int {
		switch {
		case IsUrgent(a) && !IsUrgent(b):
			return -1
		case IsUrgent(b) && !IsUrgent(a):
			return 1
		}

		return cmp.Compare(a.Key.MessageSeq, b.Key.MessageSeq)
	})

	return jobs
}

// IsForced reports whether the operator wants a message typed although the agent is blocked, or its budget
// used up. over is the text in its composer that is no draft by the operator's word, "" if there is none.
func (q *queue) IsForced(messageID string) (over string, forced bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	over, forced = q.forced[messageID]
	return over, forced
}

// Forced returns the ids of the messages that the operator wants typed although the agent is
// blocked, sorted.
func (q *queue) Forced() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.forced))
}

// ForgetForced drops the operator's wish to have the message typed: it counts until the text is pasted.
func (q *queue) ForgetForced(messageID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.forced, messageID)
}

// HasUrgent reports whether an urgent message is enqueued that TakeQueued has not returned yet.
func (q *queue) HasUrgent() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.fresh, IsUrgent)
}

// IsUrgent reports whether the message of a job has the priority urgent.
func IsUrgent(j store.Job) bool { return j.Message.Priority == parley.PriorityUrgent }
