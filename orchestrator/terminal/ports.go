package terminal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/ports"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// Ports are the reserved ports of the agents of this host.
type Ports struct {
	registry *ports.Registry
	roster   *team.Roster
}

// Reserve gives the agent of a name a port for each variable, and takes back what it has for others. It has those that
// it had, unless what listens there is not its own.
func (ps *Ports) Reserve(ctx context.Context, name string, variables []string) (parley.Ports, error) {
	m := ps.roster.ByName(name)
	wish := ports.Wish{Agent: name, Names: variables, Own: func(int) bool { return false }, Spare: ps.spares}
	if m != nil {
		wish.Had = m.Agent().Reserved
		wish.Own = func(port int) bool { return listensItself(m, port) }
	}
	return ps.registry.Reserve(ctx, wish)
}

// forLaunch does so for a launch, and says what is not as it was.
func (ps *Ports) forLaunch(ctx context.Context, l *launch, name string, variables []string) (err error) {
	m, had := ps.roster.ByName(name), parley.Ports(nil)
	if m != nil {
		had = m.Agent().Reserved
	}
	if len(variables) == 0 && len(had) == 0 {
		return nil
	}
	if l.ports, err = ps.Reserve(ctx, name, variables); err != nil {
		return err
	}

	var moved []string
	for _, variable := range slices.Sorted(maps.Keys(l.ports)) {
		if old, now := had[variable], l.ports[variable]; old != 0 && old != now {
			moved = append(moved, fmt.Sprintf("%s is %d now, since %s has %d", variable, now, whoListens(old), old))
		}
	}
	l.moved = strings.Join(moved, "; ")
	return nil
}

// GiveBack takes back the ports of an agent, which need not exist.
func (ps *Ports) GiveBack(ctx context.Context, name string) error {
	if _, err := ps.Reserve(ctx, name, nil); err != nil {
		return err
	}
	if m := ps.roster.ByName(name); m != nil {
		return ps.roster.Records.SetPorts(ctx, m, nil)
	}
	return nil
}

// spares reports whether an agent is stopped and may not come back: it has no worktree.
func (ps *Ports) spares(name string) bool {
	m := ps.roster.ByName(name)
	return m != nil && m.Agent().State == parley.StateTerminated && m.Agent().Worktree == nil
}

// listensItself reports whether one of a member's processes listens on a port, or one in its directory: a server that
// it has started, or that a person runs there to look at its work.
func listensItself(m *team.Member, port int) bool {
	own := Processes(m)
	if a := m.Agent(); a.Worktree != nil {
		own = append(own, tmux.WorkingIn(a.Worktree.Path)...)
	}
	return slices.ContainsFunc(tmux.Listeners(port), func(pid int) bool { return slices.Contains(own, pid) })
}

func whoListens(port int) string {
	if pids := tmux.Listeners(port); len(pids) > 0 {
		return fmt.Sprintf("%s (process %d)", ProgramName(pids[0]), pids[0])
	}
	return "another program or agent"
}

// Processes returns the processes that end when an agent is stopped.
func Processes(m *team.Member) []int {
	own := tmux.Marked(parley.AgentIDVariable + "=" + m.ID)
	if t := m.Terminal(); t != nil {
		below, _ := tmux.Descendants(t.PID)
		own = append(append(own, t.PID), below...)
	}
	return own
}

// ProgramName names the program of a process.
func ProgramName(pid int) string {
	argv, err := tmux.CommandLine(pid)
	if err != nil || len(argv) == 0 {
		return "a program"
	}
	return plain.CleanLine(cmp.Or(profile.ProgramOf(argv), filepath.Base(argv[0])))
}

// keep gives back the ports that were reserved for launches of which a crash has left nothing else.
func (ps *Ports) keep(ctx context.Context) error {
	return ps.registry.Keep(ctx, func(name string) bool {
		m := ps.roster.ByName(name)
		return m != nil && ps.roster.Hosts.Here(m) && len(m.Agent().Reserved) > 0
	})
}
