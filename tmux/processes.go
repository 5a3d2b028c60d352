package tmux

import "sync"

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

// ForegroundOnTerminal returns the command lines of those programs of the foreground process
// group of panePID's terminal that use that terminal, such as the pager or editor that
// the group's leader has started. The leader itself can be missing.
func (p *Processes) ForegroundOnTerminal(panePID int) ([][]string, error) {
	terminal, group, err := foregroundGroup(panePID)
	if err != nil {
		return nil, err
	}

	l := p.look()
	if l.err != nil {
		return nil, l.err
	}
	return l.groups.programs(terminal, group), nil
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

	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	p.next = nil // it begins: who comes from now on needs another one
	p.mu.Unlock()

	l.groups, l.err = readGroups()
	close(l.done)

	return l
}
