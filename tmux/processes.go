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

// Foreground returns the command lines of the programs that use the terminal of the process panePID:
// that of Foreground, the leader of the terminal's foreground process group, and then those of the
// group that use the terminal, such as a pager or editor that the leader has started. It looks for
// the latter now, or did so after a time that it is given. It fails as Foreground does. Where the
// processes cannot be listed, it returns the leader alone.
func (p *Processes) Foreground(panePID int, since time.Time) ([][]string, error) {
	group, argv, err := foreground(panePID)
	if err != nil {
		return nil, err
	}

	found := [][]string{argv}
	if l := p.look(since); l.err == nil {
		found = append(found, l.groups.programs(group)...)
	}
	return found, nil
}

// Inner returns the command lines of the programs that have a terminal inside one of those, as a shell in script
// has. It looks as Foreground does.
func (p *Processes) Inner(panePID int, since time.Time) [][]string {
	group, _, err := foreground(panePID)
	if err != nil {
		return nil
	}
	if l := p.look(since); l.err == nil {
		return l.groups.inner(group)
	}
	return nil
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
