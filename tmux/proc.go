package tmux

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

// errNoProcess is returned by the functions below for a process that does not exist.
var errNoProcess = errors.New("no such process")

// Alive reports whether a process runs. A process that has ended and waits for its
// parent to collect it does not.
func Alive(pid int) bool { return alive(pid) }

// StillAlive reports whether a process runs that was born then, by Birth. A pid may be reused.
func StillAlive(pid int, born string) bool { return stillAlive(pid, born) }

// Descendants lists the children of the given processes, their children, and so on,
// parents first. A given process is listed only if it descends from another one.
// Processes come and go meanwhile, so end those found and ask again. A process that
// has gone has no descendants.
func Descendants(pids ...int) ([]int, error) {
	parents, err := parents()
	if err != nil {
		return nil, err
	}

	children := make(map[int][]int, len(parents))
	for child, parent := range parents {
		children[parent] = append(children[parent], child)
	}

	var found []int
	for _, pid := range pids {
		found = append(found, children[pid]...)
	}

	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}

	return found, nil
}

// CommandLine returns the words with which a process was started, or that it shows in
// their place.
func CommandLine(pid int) ([]string, error) { return commandLine(pid) }

// Foreground returns the command line of the program that has the terminal of the
// process panePID: the leader of the terminal's foreground process group. It fails
// if there is no such group, or if its leader has gone.
func Foreground(panePID int) ([]string, error) {
	_, argv, err := foreground(panePID)
	return argv, err
}

// ForegroundProcess is Foreground, and also returns the leader's process id.
func ForegroundProcess(panePID int) (pid int, argv []string, err error) {
	group, argv, err := foreground(panePID)
	return group.leader, argv, err
}

// processGroup is a process group of a terminal, named by its leader.
type processGroup struct {
	leader   int
	terminal string // as the system numbers it, "" where it does not
}

// OpenFiles returns the paths of the regular files that a process has open to write, as far as the system
// shows them. What a program only reads may be another's: Codex reads all earlier sessions as it starts.
func OpenFiles(pid int) []string { return openFiles(pid) }

// Process describes one process.
type Process struct {
	PID, Parent int
	Session     int      // the process that leads its session
	TTY         string   // its controlling terminal, such as /dev/pts/3; "" if it has none
	Born        string   // as Birth returns it
	Args        []string // its command line; empty if the system does not show it
	Env         []string // its environment when it was started; empty if the system does not show it
}

// Lineage is a process with all that it can be traced back to.
type Lineage struct {
	// Line is the process, its parent, that one's parent, and so on.
	Line []Process
	// Leaders are the leaders of their sessions that are not in Line, and the ancestors of those.
	// A process whose parent has ended is still in its session.
	Leaders []Process
}

// LineageOf traces a process back. A process that has gone has no lineage.
func LineageOf(pid int) (Lineage, error) {
	read, err := processes()
	if err != nil {
		return Lineage{}, err
	}

	return trace(pid, read), nil
}

// maxLineage bounds a lineage. Processes that end and start meanwhile could make a circle.
const maxLineage = 256

// trace follows parents, and then the leaders of sessions. read reports false for a process that has
// gone.
func trace(pid int, read func(pid int) (Process, bool)) Lineage {
	var l Lineage
	seen := map[int]bool{}
	follow := func(pid int, to *[]Process) {
		for pid > 0 && !seen[pid] && len(seen) < maxLineage {
			seen[pid] = true
			p, ok := read(pid)
			if !ok {
				return
			}
			*to = append(*to, p)
			pid = p.Parent
		}
	}

	follow(pid, &l.Line)
	for _, p := range l.Line {
		follow(p.Session, &l.Leaders)
	}
	for i := 0; i < len(l.Leaders); i++ {
		follow(l.Leaders[i].Session, &l.Leaders)
	}

	return l
}

// Processes looks at the processes of the machine. To look at all of them takes long, so callers
// share one look: each says since when it must have begun. Safe for concurrent use.
type Processes struct {
	turn sync.Mutex // held by the look that runs

	mu     sync.Mutex
	next   *groupsLook // has not begun; nil: nobody waits for one
	latest *groupsLook // has begun
}

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
