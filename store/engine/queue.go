package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// MaxBatch is how many waiting writes share one commit. A commit waits for the
// disk once however many it carries; beyond 64 the gain is gone while the first
// of them waits longer.
const MaxBatch = 64

// When the last commit carried a crowd, and some but only few writes wait for the next,
// it lingers for more, whatever they are about. A write that comes alone does not, and
// neither do many. See company.go for those that belong together.
const (
	crowd      = 4
	few        = 16
	lingerTime = 2 * time.Millisecond
)

// Write is one caller's change. It may run more than once, each time in a transaction
// in which nothing of it has happened yet.
type Write struct {
	change func(*Tx) error
	round  Round       // it changes one delivery in this round; zero: it is about something else
	begun  atomic.Bool // set once: by the writer that begins it, or by the caller that gives it up
	done   chan struct{}
	err    error
}

// Refuse sets the error that the caller gets, when the transaction is written without its change.
func (w *Write) Refuse(err error) { w.err = err }

// Err is what the caller gets.
func (w *Write) Err() error { return w.err }

// NewWrite returns a change that nobody waits for.
func NewWrite(change func(*Tx) error) *Write { return &Write{change: change} }

// Queue holds the writes that wait. Each has a caller that waits for it, so it is never
// longer than there are callers.
type Queue struct {
	wake chan struct{} // holds one token when there may be something to do

	mu      sync.Mutex
	waiting []*Write
	closed  bool

	company company // only the writing goroutine uses it
}

// ErrClosed says that the queue takes nothing more.
var ErrClosed = errors.New("the queue of writes is closed")

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1), company: company{}} }

// Do runs a change in a transaction, together with those of other callers, and returns when it is durable. The change's
// own error is returned as it is, and undoes this change alone. When ctx ends before the change has begun, nothing
// happens; once begun, it is finished. The change belongs to a round, unless that is zero.
func (q *Queue) Do(ctx context.Context, r Round, change func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	w := &Write{change: change, round: r, done: make(chan struct{})}
	if !q.push(w) {
		return ErrClosed
	}

	select {
	case <-w.done:
	case <-ctx.Done():
		if w.begun.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-w.done
	}

	return w.err
}

// Serve is the writing goroutine. It commits what is queued until the queue is closed and empty. When nothing is
// queued, it looks from time to time, and when it rings, which is told.
func (q *Queue) Serve(commit func([]*Write), every time.Duration, ring <-chan struct{}, look func(rang bool)) {
	watch := time.NewTicker(every)
	defer watch.Stop()

	last := 0 // the number of writes in the last commit
	for {
		batch, open := q.take(MaxBatch)
		if len(batch) > 0 {
			alone := len(batch) == 1
			batch = q.await(batch)
			if last >= crowd && !alone && len(batch) < few && open {
				batch = append(batch, q.linger(MaxBatch-len(batch))...)
			}

			last = len(batch)
			commit(batch)
			for _, w := range batch {
				close(w.done)
			}

			continue
		}

		if !open {
			return
		}

		select {
		case <-q.wake:
		case <-watch.C:
			look(false)
		case <-ring:
			look(true)
		}
	}
}

// linger waits a moment for more writes to share a commit.
func (q *Queue) linger(n int) []*Write {
	<-time.After(lingerTime)
	more, _ := q.take(n)
	q.company.arrived(more)
	return more
}

// Len returns how many writes wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// push adds a write; false when the queue is closed.
func (q *Queue) push(w *Write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, w)
	q.signal()
	return true
}

// take begins at most n writes and returns them, and whether the queue is still open.
func (q *Queue) take(n int) ([]*Write, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()

	var batch []*Write
	i := 0
	for ; i < len(q.waiting) && len(batch) < n; i++ {
		if w := q.waiting[i]; w.begun.CompareAndSwap(false, true) {
			batch = append(batch, w)
		}
	}

	rest := copy(q.waiting, q.waiting[i:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]

	return batch, !q.closed
}

// Close refuses further writes; false when it was closed before.
func (q *Queue) Close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	q.signal()
	return true
}

// IsClosed reports whether the queue is closed.
func (q *Queue) IsClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
