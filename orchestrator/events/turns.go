package events

import (
	"context"
	"slices"
	"sync"
)

// turns lets one of many do something at a time, each caller in turn: who asks a hundred times waits for
// each of the others a hundred times. The zero value is ready.
type turns struct {
	mu      sync.Mutex
	taken   bool
	callers []string // that wait, the next one first
	waiting map[string][]chan struct{}
}

// take waits for the caller's turn. The caller ends it with done.
func (t *turns) take(ctx context.Context, caller string) (done func(), err error) {
	turn := t.ask(caller)
	select {
	case <-turn:
		return t.next, nil
	case <-ctx.Done():
		if !t.withdraw(caller, turn) { // it has come meanwhile
			t.next()
		}
		return nil, ctx.Err()
	}
}

// ask returns what is closed when the caller's turn has come.
func (t *turns) ask(caller string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()

	turn := make(chan struct{})
	if !t.taken {
		t.taken = true
		close(turn)
		return turn
	}

	if t.waiting == nil {
		t.waiting = map[string][]chan struct{}{}
	}
	if len(t.waiting[caller]) == 0 {
		t.callers = append(t.callers, caller)
	}
	t.waiting[caller] = append(t.waiting[caller], turn)

	return turn
}

// withdraw ends waiting; false if the turn has come.
func (t *turns) withdraw(caller string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	at := slices.Index(t.waiting[caller], turn)
	if at < 0 {
		return false
	}
	t.waiting[caller] = slices.Delete(t.waiting[caller], at, at+1)
	if len(t.waiting[caller]) == 0 {
		delete(t.waiting, caller)
		t.callers = slices.DeleteFunc(t.callers, func(c string) bool { return c == caller })
	}

	return true
}

// next gives the turn to the next caller.
func (t *turns) next() {
	t.mu.Lock()
	defer t.mu.Unlock()

	if len(t.callers) == 0 {
		t.taken = false
		return
	}

	caller := t.callers[0]
	t.callers = t.callers[1:]
	close(t.waiting[caller][0])
	if t.waiting[caller] = t.waiting[caller][1:]; len(t.waiting[caller]) > 0 {
		t.callers = append(t.callers, caller)
	} else {
		delete(t.waiting, caller)
	}
}
