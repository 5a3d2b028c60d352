package terminal

import (
	"cmp"
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

// readopt finds the agents that still run, by the identity on their panes. Those
// that should run and do not are lost; panes of agents that were stopped are ended.
func (ts *Terminals) readopt(ctx context.Context) error {
	panes, err := ts.tmux.Panes(ctx)
	if err != nil {
		return tmuxError(err)
	}

	for _, info := range panes {
		m := ts.roster.ByID(info.Owner)
		if m == nil || m.Kind != parley.KindTerminal {
			continue
		}
		if a := m.Agent(); a.Adopted() {
			continue
		}
		if err := ts.takeBack(ctx, m, info); err != nil {
			return err
		}
	}

	ts.rejoin(ctx)
	for _, m := range ts.roster.All() {
		if m.Kind == parley.KindTerminal && m.Terminal() == nil && m.Agent().State != parley.StateTerminated {
			if err := ts.Lose(ctx, m, "its terminal was gone when the daemon started"); err != nil {
				return err
			}
		}
	}

	return nil
}

func (ts *Terminals) takeBack(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	a := m.Agent()
	p, err := ts.profileOf(m, a)
	if err != nil {
		return err
	}

	m.SetTerminal(team.NewTerminal(ts.tmux, p, info))
	if a.State == parley.StateTerminated { // a crash came between the end of its record and of its processes
		_, err := ts.end(ctx, m, a.Evidence)
		return err
	}

	return nil
}

func (ts *Terminals) profileOf(m *team.Member, a parley.Agent) (*profile.Profile, error) {
	p, err := ts.opts.Profiles.Find(cmp.Or(a.Profile, "generic"))
	if err != nil {
		ts.log.Warn("a running agent's profile is gone; taking generic", "agent", m.Name, "profile", a.Profile)
		p, err = ts.opts.Profiles.Find("generic")
	}
	return p, err
}

// lose records that an agent's terminal went away under it. Its messages wait.
func (ts *Terminals) Lose(ctx context.Context, m *team.Member, why string) error {
	m.SetTerminal(nil)
	if err := ts.couriers.Abandon(ctx, m, why); err != nil {
		return err
	}
	return ts.roster.SetState(ctx, m, parley.StateUnreachable, why, nil)
}
