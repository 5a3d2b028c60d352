package team

import (
	"net/netip"
	"slices"
	"strings"

	"parley/internal/errand"
	"parley/tmux"
)

// The facts that show that a process without a mark of an agent is the operator's. A service may run what an
// agent has asked for, so only what lies below the nearest service counts.

// isErrand reports whether a process belongs to an errand of the daemon, which may run what an agent has written.
func isErrand(traced []tmux.Process) bool {
	return slices.ContainsFunc(traced, func(p tmux.Process) bool { return slices.Contains(p.Env, errand.Mark) })
}

// atTerminal reports whether a process belongs to a terminal at which a person may sit.
func atTerminal(l tmux.Lineage, seats []seat) bool {
	outermost := -1
	for i, p := range l.Line {
		taken := slices.ContainsFunc(seats, func(s seat) bool { return s.tty == p.TTY && !s.atShell(l) })
		if p.TTY != "" && !taken {
			outermost = i
		}
	}
	if outermost < 0 || isJob(l.Unit) {
		return false
	}

	above := l.Line[outermost+1:]
	isScheduler := func(p tmux.Process) bool { return runs(p, schedulers) }
	if slices.ContainsFunc(above, isScheduler) || len(above) > 0 && runs(above[0], recorders) {
		return false
	}

	login := slices.IndexFunc(l.Line, func(p tmux.Process) bool { return runs(p, logins) })
	return login < 0 || comesFromElsewhere(l, login)
}

// isBeyond reports whether no agent can have started a process: there was none, or the process descends
// from something that is older than all agents, from outside of this container, or from another machine.
// The bridge of a model is not the operator's for that alone: its model may be anybody's.
func isBeyond(l tmux.Lineage, since era) bool {
	if !since.known || len(l.Line) == 0 || servesModel(l.Line[0]) {
		return false
	}
	if since.first == "" {
		return true
	}

	for i, p := range l.Line {
		switch {
		case p.PID == 1: // it takes in what has lost its parent
			return false
		case runs(p, logins):
			return isRoots(l.Line[i:]) && comesFromElsewhere(l, i)
		case runs(p, services):
			return false
		case tmux.Older(p.Born, since.first), hasOldLeader(l, p, since.first):
			return true
		case p.Parent == 0: // docker exec, nsenter
			return true
		}
	}

	return false
}

// hasOldLeader reports whether the leader of the session of a process is older than all agents. Nothing enters
// a session but by descent, so this holds also for what has lost its parent.
func hasOldLeader(l tmux.Lineage, p tmux.Process, first string) bool {
	return slices.ContainsFunc(slices.Concat(l.Line, l.Leaders), func(leader tmux.Process) bool {
		return leader.PID == p.Session && !runs(leader, services) && tmux.Older(leader.Born, first)
	})
}

// isRoots reports whether a login began with a process of root's, which an agent cannot imitate.
func isRoots(line []tmux.Process) bool {
	return slices.ContainsFunc(line, func(p tmux.Process) bool { return p.UID == 0 && runs(p, logins) })
}

// comesFromElsewhere reports whether the login server at an index of the line was called from another machine.
func comesFromElsewhere(l tmux.Lineage, login int) bool {
	if login == 0 {
		return false
	}
	for _, entry := range l.Line[login-1].Env {
		ends, ok := strings.CutPrefix(entry, "SSH_CONNECTION=")
		if f := strings.Fields(ends); ok && len(f) == 4 {
			from, err := netip.ParseAddr(f[0])
			to, err2 := netip.ParseAddr(f[2])
			from, to = from.Unmap().WithZone(""), to.Unmap().WithZone("")
			return err == nil && err2 == nil && !from.IsLoopback() && from != to
		}
	}
	return false
}
