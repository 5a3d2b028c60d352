package tmux

import (
	"runtime"
	"sync"
)

// Processes looks at the processes of the machine. To look at all of them takes long, so callers at
// the same time share one look: each gets one that began after its call. Safe for concurrent use.
type Processes struct {
	turn sync.Mutex // held by the look that runs

	mu   sync.Mutex
	next *groupsLook // has not begun; nil: nobody waits for one
}

// groupsLook is one look at all processes.
type groupsLook struct {
	done   chan struct{}
	groups groups
	err    error
}

// Foreground returns the command lines of the programs that use the terminal of the process panePID:
// that of Foreground, the leader of the terminal's foreground process group, and then those of the
// group that use the terminal, such as a pager or editor that the leader has started. It fails as
// Foreground does. Where the processes cannot be listed, it returns the leader alone.
func (p *Processes) Foreground(panePID int) ([][]string, error) {
	group, argv, err := foreground(panePID)
	if err != nil {
		return nil, err
	}

	found := [][]string{argv}
	if l := p.look(); l.err == nil {
		found = append(found, l.groups.programs(group)...)
	}
	return found, nil
}

// look returns a look that began after the call.
func (p *Processes) look() *groupsLook {
	p.mu.Lock()
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
	p.next = nil // it begins: who comes from now on needs another one
	p.mu.Unlock()

	l.groups, l.err = readGroups()
	close(l.done)

	return l
}
