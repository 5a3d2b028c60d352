package orchestrator

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
func (o *Orchestrator) readopt(ctx context.Context) error {
	panes, err := o.tmux.Panes(ctx)
	if err != nil {
		return tmuxError(err)
	}

	for _, info := range panes {
		m := o.roster.ByID(info.Owner)
		if m == nil || m.Kind != parley.KindTerminal {
			continue
		}
		if a := m.Agent(); a.Adopted() {
			continue
		}
		if err := o.takeBack(ctx, m, info); err != nil {
			return err
		}
	}

	o.rejoin(ctx)
	for _, m := range o.roster.All() {
		if m.Kind == parley.KindTerminal && m.Terminal() == nil && m.Agent().State != parley.StateTerminated {
			if err := o.lose(ctx, m, "its terminal was gone when the daemon started"); err != nil {
				return err
			}
		}
	}

	return nil
}

func (o *Orchestrator) takeBack(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	a := m.Agent()
	p, err := o.profileOf(m, a)
	if err != nil {
		return err
	}

	m.SetTerminal(team.NewTerminal(o.tmux, p, info))
	if a.State == parley.StateTerminated { // a crash came between the end of its record and of its processes
		_, err := o.end(ctx, m, a.Evidence)
		return err
	}

	return nil
}

func (o *Orchestrator) profileOf(m *team.Member, a parley.Agent) (*profile.Profile, error) {
	p, err := o.opts.Profiles.Find(cmp.Or(a.Profile, "generic"))
	if err != nil {
		o.log.Warn("a running agent's profile is gone; taking generic", "agent", m.Name, "profile", a.Profile)
		p, err = o.opts.Profiles.Find("generic")
	}
	return p, err
}

// lose records that an agent's terminal went away under it. Its messages wait.
func (o *Orchestrator) lose(ctx context.Context, m *team.Member, why string) error {
	m.SetTerminal(nil)
	if err := o.couriers.Abandon(ctx, m, why); err != nil {
		return err
	}
	return o.roster.SetState(ctx, m, parley.StateUnreachable, why, nil)
}
