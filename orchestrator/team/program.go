package team

import (
	"slices"
	"sync"
	"time"

	"parley/profile"
	"parley/tmux"
)

// Program returns the profile of the program that has the terminal, or that a script or a package
// manager has started there. It is not ok if the program is not known, or need not be.
func (t *Terminal) Program() (*profile.Profile, bool) {
	if t.Known == nil {
		return nil, false
	}
	pid, argv, err := tmux.ForegroundProcess(t.PID)
	if err != nil {
		return nil, false
	}
	if p, ok := t.Known.Running(argv); ok || !profile.MayLaunch(argv) {
		return p, ok
	}
	return t.startedBy(pid, profile.MayStart(argv))
}

// searchEvery is the least time between two searches among all processes, which take milliseconds.
const searchEvery = 200 * time.Millisecond

// search is the last search for a program that another one started.
type search struct {
	mu    sync.Mutex
	at    time.Time
	found *profile.Profile // nil: none
}

// startedBy returns the profile of a program that the process leader has started in the terminal: one that reads it,
// or, if the leader starts programs, one that will. It may be searchEvery old.
func (t *Terminal) startedBy(leader int, starts bool) (*profile.Profile, bool) {
	s := &t.search
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) < searchEvery {
		return s.found, s.found != nil
	}

	s.at, s.found = time.Now(), nil
	if p, ok := t.reader(); ok || !starts {
		s.found = p
		return p, ok
	}
	children, err := tmux.Descendants(leader)
	if err != nil {
		return nil, false
	}
	for _, child := range children {
		if p, ok := t.startedIn(leader, child); ok {
			s.found = p
			return p, true
		}
	}

	return nil, false
}

// reader returns the profile of the process that reads the terminal.
func (t *Terminal) reader() (*profile.Profile, bool) {
	r, err := tmux.ReaderOf(t.PID)
	if err != nil || r.PID == 0 {
		return nil, false
	}
	argv, err := tmux.CommandLine(r.PID)
	if err != nil {
		return nil, false
	}
	return t.Known.Running(argv)
}

// startedIn returns the profile of a process that runs in the terminal because programs that
// MayStart it did so, from the process leader on.
func (t *Terminal) startedIn(leader, pid int) (*profile.Profile, bool) {
	argv, err := tmux.CommandLine(pid)
	if err != nil {
		return nil, false
	}
	p, ok := t.Known.Running(argv)
	if !ok {
		return nil, false
	}

	lineage, err := tmux.LineageOf(pid)
	if err != nil || len(lineage.Line) == 0 {
		return nil, false
	}
	above := lineage.Line[1:]
	until := slices.IndexFunc(above, func(p tmux.Process) bool { return p.PID == leader })
	if until < 0 {
		return nil, false
	}

	between := slices.ContainsFunc(above[:until], func(p tmux.Process) bool { return !profile.MayStart(p.Args) })

	return p, !between
}

// SetRuns notes the profile of the program that was recognised in a member's terminal.
func (m *Member) SetRuns(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Runs = name
}
