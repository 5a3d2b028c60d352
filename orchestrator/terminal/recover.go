package terminal

import (
	"cmp"
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

// recoverAgents finds the agents that still run by the ids on their panes. It records agents without a pane
// as lost, and ends the panes of stopped agents. Couriers must not run yet.
func (ts *Terminals) recoverAgents(ctx context.Context) error {
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
		if err := ts.recoverPane(ctx, m, info); err != nil {
			return err
		}
	}

	ts.recoverAdopted(ctx)
	for _, m := range ts.roster.All() {
		if m.Kind == parley.KindTerminal && m.Terminal() == nil && m.Agent().State != parley.StateTerminated {
			if err := ts.Lose(ctx, m, "its terminal was gone when the daemon started"); err != nil {
				return err
			}
		}
	}

	return nil
}

// recoverPane gives a member the pane in which an earlier daemon launched it, or ends the pane when the
// agent was stopped.
func (ts *Terminals) recoverPane(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	a := m.Agent()
	p, err := ts.profileOf(m, a)
	if err != nil {
		return err
	}

	m.SetTerminal(newTerminal(ts, m, p, info))
	if a.State == parley.StateTerminated { // a crash interrupted its stop
		_, err := ts.end(ctx, m, parley.StateTerminated, a.Evidence)
		return err
	}

	return nil
}

// profileOf returns the profile of an agent, or the default if that no longer exists.
func (ts *Terminals) profileOf(m *team.Member, a parley.Agent) (*profile.Profile, error) {
	p, err := ts.opts.Profiles.Find(cmp.Or(a.Profile, profile.Default))
	if err != nil {
		ts.log.Warn("a running agent's profile is gone; taking the default", "agent", m.Name, "profile", a.Profile)
		p, err = ts.opts.Profiles.Find(profile.Default)
	}
	return p, err
}

// Lose records that an agent has lost its terminal, for the reason why. Its messages wait. Once the
// couriers run, the caller must hold m.Changing.
func (ts *Terminals) Lose(ctx context.Context, m *team.Member, why string) error {
	m.SetTerminal(nil)
	if err := ts.couriers.Abandon(ctx, m, why); err != nil {
		return err
	}
	return ts.roster.SetState(ctx, m, parley.StateUnreachable, why, nil)
}
