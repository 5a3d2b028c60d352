package terminal

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// choice is the profile of a launch.
type choice struct {
	*profile.Profile
	byName  bool // the program's name says which it is
	unknown bool // nothing says which it is
	said    bool // the operator has named it, and with that said that the program takes messages
}

// choose returns the profile with this name. Without a name it is that of the program that the
// command line runs, or the default when that is not known.
func choose(all profile.Set, name string, argv []string) (choice, error) {
	if name == "" {
		if p, ok := all.Launched(argv); ok {
			return choice{Profile: p, byName: true}, nil
		}
	}
	p, err := all.Find(cmp.Or(name, profile.Default))
	return choice{Profile: p, unknown: name == ""}, err
}

// Enclose puts a launch that does not say otherwise into a sandbox, where the settings say so of all, or its profile of
// its own. The operator alone says otherwise, which the agent keeps.
func (ts *Terminals) Enclose(ctx context.Context, req *parley.LaunchAgentRequest) error {
	c, _ := choose(ts.opts.Profiles, req.Profile, req.Command)
	all := ts.opts.Boundary.encloses(c)
	switch {
	case req.Sandboxed() || parley.CallerFrom(ctx).Operator && req.Sandbox != nil:
	case all && req.Sandbox != nil:
		return parley.Errorf(parley.NotAuthorized, "only the operator takes %s out of its sandbox", req.Name).
			Suggest("Leave sandbox out, or let the operator launch it.")
	case all:
		req.Sandbox = &all
	default:
		req.Sandbox = nil
	}
	return nil
}

// encloses reports whether a launch that does not mention a sandbox gets one. The profile may be unknown.
func (b Boundary) encloses(c choice) bool {
	return b.Always || c.Profile != nil && c.Sandbox.Always
}

// encloseAgain puts an agent into a sandbox that is restarted, and was launched before the settings or its profile said
// that it is in one. Its conversation stays outside.
func (b Boundary) encloseAgain(a *parley.Agent, c choice, l *launch, fresh bool) (err error) {
	all := b.encloses(c)
	if !all || a.Sandbox != nil {
		return nil
	}
	if a.Session.Begun() && !fresh {
		return parley.Errorf(parley.InvalidArgument,
			"%s was launched before it was to be in a sandbox, where its conversation is not found", a.Name).
			Suggest("To begin a new one there: parley restart %s --fresh. To leave it outside, stop it and launch it "+
				"with --sandbox=false.", sh.Word(a.Name))
	}
	a.Sandbox = &all
	l.Dir, err = filepath.EvalSymlinks(l.Dir)
	return err
}

// continues reports whether a launch with a profile finds the conversation of an agent: a sandbox has its own home.
func (c choice) continues(a *parley.Agent, sandboxed bool) bool {
	return a.Profile == c.stored() && a.Sandboxed() == sandboxed
}

// stored returns what is stored of the choice with the agent: "" if its program is not known.
func (c choice) stored() string {
	if c.unknown {
		return ""
	}
	return c.Name
}

// evidence describes the launch as the evidence of a state.
func (c choice) evidence() string {
	if c.byName {
		return fmt.Sprintf("launched (profile %s, by its name)", c.Name)
	}
	return "launched"
}

// newTerminal returns the terminal of a launched agent. If its program is not known, it may become
// known in the terminal.
func newTerminal(ts *Terminals, m *team.Member, p *profile.Profile, info tmux.PaneInfo) *team.Terminal {
	t := team.NewTerminal(ts.tmux, p, info)
	t.Places = ts.places
	a := m.Agent()
	t.Own = p.Name != profile.Default && p.Runs(a.Command)
	if a.Profile == "" {
		t.Known = &ts.opts.Profiles
	}
	return t
}

// isFirst reports whether an agent is the first with a program that is known to work in a sandbox.
func isFirst(roster *team.Roster, m *team.Member, p *profile.Profile) bool {
	return len(p.Sandbox.Env) > 0 && !slices.ContainsFunc(roster.All(), func(other *team.Member) bool {
		return other != m && other.Agent().Profile == p.Name
	})
}

// earlier returns the agent whose session a launch continues: the one that had its name before, with the
// same program. Without one it is empty.
func earlier(roster *team.Roster, req parley.LaunchAgentRequest, p choice) parley.Agent {
	m := roster.ByName(req.Name)
	if m == nil || !req.Resume || req.NoResume {
		return parley.Agent{}
	}
	if a := m.Agent(); !a.Adopted() && p.continues(&a, req.Sandboxed()) && roster.Hosts.Here(m) {
		return a
	}
	return parley.Agent{}
}
