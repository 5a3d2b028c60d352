package store

import "sync"

// queue holds the writes that wait. Each has a caller that waits for it, so it is never
// longer than there are callers.
type queue struct {
	wake chan struct{} // holds one token when there may be something to do

	mu      sync.Mutex
	waiting []*write
	closed  bool
}

// push adds a write; false when the queue is closed.
func (q *queue) push(w *write) bool {
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
func (q *queue) take(n int) ([]*write, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()

	var batch []*write
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

// close refuses further writes; false when it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	q.signal()
	return true
}

func (q *queue) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
