package tmux

import (
	"runtime"
	"sync"
	"time"
)

// Processes looks at the processes of the machine. To look at all of them takes long, so callers
// share one look: each says since when it must have begun. Safe for concurrent use.
type Processes struct {
	turn sync.Mutex // held by the look that runs

	mu     sync.Mutex
	next   *groupsLook // has not begun; nil: nobody waits for one
	latest *groupsLook // has begun
}

// groupsLook is one look at all processes.
type groupsLook struct {
	began  time.Time
	done   chan struct{}
	groups groups
	err    error
}

// look returns a look that began after a time.
func (p *Processes) look(since time.Time) *groupsLook {
	p.mu.Lock()
	if l := p.latest; l != nil && l.began.After(since) {
		p.mu.Unlock()
		<-l.done
		return l
	}
	l, first := p.next, p.next == nil
	if first {
		l = &groupsLook{done: make(chan struct{})}
		p.next = l
	}
	p.mu.Unlock()

	if !first {
		<-l.done
		return l
	}

	runtime.Gosched() // callers that are about to come share this look
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	l.began = time.Now()
	p.next, p.latest = nil, l
	p.mu.Unlock()

	l.groups, l.err = readGroups()
	close(l.done)

	return l
}
