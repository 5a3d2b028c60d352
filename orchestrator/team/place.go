package team

import (
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/errand"
	"parley/plain"
	"parley/tmux"
)

// CallerOfProcess returns who is behind a process of this machine: the agent to which it can be traced back;
// nobody, if that agent is not of this workspace or not known; else the operator. A process that has ended is
// nobody. own is the pid of parley's tmux server: what descends from that is never the operator.
func (r *Roster) CallerOfProcess(pid, own int) parley.Caller {
	lineage, err := tmux.LineageOf(pid)
	if err != nil {
		r.log.Warn("look up a caller's process", "pid", pid, "error", err)
		return parley.Caller{Unplaced: true}
	}

	id, is := place(lineage, r.seats(), own)
	switch is {
	case operators:
		c := r.Operator()
		c.Program = programsOf(lineage.Line)
		return c
	case agents:
		if m := r.ByID(id); m != nil {
			if c, ok := r.CallerOf(m); ok {
				return c
			}
		}
	}

	return parley.Caller{Unplaced: true}
}

// IsOperators reports whether a process is the operator's, as far as that can be told while no daemon knows the
// agents. It reports true on a system that shows no processes.
func IsOperators(pid int) bool {
	lineage, err := tmux.LineageOf(pid)
	if err != nil {
		return true
	}
	_, is := place(lineage, nil, 0)
	return is == operators
}

// maxPrograms is how many programs of a line are named: those nearest to the call tell most.
const maxPrograms = 4

// programsOf names the programs of a line that has no terminal, the outermost first; "" for one that has.
func programsOf(line []tmux.Process) string {
	if line[0].TTY != "" {
		return ""
	}
	var names []string
	for _, p := range line {
		if len(p.Args) > 0 && p.PID != 1 && len(names) < maxPrograms {
			names = append(names, plain.CleanLabel(filepath.Base(p.Args[0])))
		}
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// seat is where an agent's program runs, as far as it tells its processes from others.
type seat struct {
	id      string // of the agent
	program int
	born    string // when program was born; "" if that is not known
	leader  int    // what tmux started in the pane, which leads the terminal's session
	tty     string
	mark    string // for an adopted agent: the pane, as the environment of its processes names it
	socket  string // for an adopted agent: of the tmux server
}

// seats lists the terminals of agents. A launched agent that has ended leaves none. In the pane of an
// adopted one, its jobs may still run.
func (r *Roster) seats() []seat {
	var list []seat
	for _, m := range r.All() {
		t, a := m.Terminal(), m.Agent()
		if t == nil || a.State == parley.StateTerminated || !a.State.Live() && !t.Adopted() {
			continue
		}

		s := seat{id: m.ID, program: t.PID, born: t.Born, leader: t.Leader, tty: t.TTY}
		if t.Adopted() {
			s.mark, s.socket = "TMUX_PANE="+t.Pane.ID(), t.Server.SocketPath()
		}
		list = append(list, s)
	}
	return list
}

// agentMark begins the entry of the environment that names the agent.
const agentMark = parley.AgentIDVariable + "="

// whose says what is known of a process.
type whose int

const (
	operators whose = iota // everything else
	agents                 // an agent's, here or in another workspace
	strangers              // an errand's, something else below parley's tmux server, or of a process that has ended
)

// place decides whose process a lineage belongs to. For an agent's, it also returns the agent's id. No proof
// that a process is the operator's is asked for: whatever could be one, an agent can make.
func place(l tmux.Lineage, seats []seat, own int) (agent string, is whose) {
	if len(l.Line) == 0 {
		return "", strangers
	}

	traced := slices.Concat(l.Line, l.Leaders)
	for _, s := range seats {
		if s.holds(l, traced) {
			return s.id, agents
		}
	}

	for _, p := range traced {
		for _, entry := range p.Env {
			if id, ok := strings.CutPrefix(entry, agentMark); ok {
				return id, agents
			}
		}
		if p.PID == own || p.IsKeeper() || slices.Contains(p.Env, errand.Mark) {
			return "", strangers
		}
	}

	for _, s := range seats {
		if s.started(l) {
			return s.id, agents
		}
	}

	return "", operators
}

// holds reports whether a lineage leads to the program of the seat, or belongs to its terminal.
func (s *seat) holds(l tmux.Lineage, traced []tmux.Process) bool {
	for _, p := range traced {
		if p.PID == s.program && (s.born == "" || p.Born == s.born) {
			return true
		}
	}
	if s.atShell(l) {
		return false
	}
	return slices.ContainsFunc(traced, func(p tmux.Process) bool {
		return s.leader != 0 && p.Session == s.leader || s.tty != "" && p.TTY == s.tty
	})
}

// atShell reports whether the process descends from the user's own shell in the pane of an adopted
// agent. The caller has checked that it does not descend from the program.
func (s *seat) atShell(l tmux.Lineage) bool {
	return s.leader != s.program && slices.ContainsFunc(l.Line, func(p tmux.Process) bool { return p.PID == s.leader })
}

// started reports whether the environment of the process names the pane of the seat, and the user's own shell
// there has not started it.
func (s *seat) started(l tmux.Lineage) bool {
	if s.mark == "" || s.socket == "" || s.atShell(l) {
		return false
	}
	env := l.Line[0].Env
	return slices.Contains(env, s.mark) &&
		slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "TMUX="+s.socket+",") })
}
