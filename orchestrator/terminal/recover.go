package terminal

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// recovery finds the terminals of the agents when the daemon starts. Couriers must not run yet.
type recovery struct{ ts *Terminals }

// agents finds the agents that still run by the ids on their panes. It records agents without a pane
// as lost, and ends the panes of stopped agents.
func (r recovery) agents(ctx context.Context) error {
	panes, err := r.ts.tmux.Panes(ctx)
	if err != nil {
		return tmuxError(err)
	}

	for _, info := range panes {
		m := r.ts.roster.ByID(info.Owner)
		if m == nil || m.Kind != parley.KindTerminal || !r.ts.roster.Hosts.Here(m) {
			continue
		}
		if a := m.Agent(); a.Adopted() {
			continue
		}
		if err := r.pane(ctx, m, info); err != nil {
			return err
		}
	}

	r.adopted(ctx)
	for _, m := range r.ts.roster.All() {
		lost := m.Kind == parley.KindTerminal && m.Terminal() == nil && r.ts.roster.Hosts.Here(m)
		if lost && m.Agent().State != parley.StateTerminated {
			p, err := r.profileOf(m, m.Agent())
			if err != nil {
				return err
			}
			m.Served.Gone(p.RefusesWithin > 0)
			if err := r.ts.watcher.lose(ctx, m, "its terminal was gone when the daemon started"); err != nil {
				return err
			}
		}
	}

	return nil
}

// pane gives a member the pane in which an earlier daemon launched it, or ends the pane when the
// agent was stopped. A dead pane that was left behind does not replace one with a program.
func (r recovery) pane(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	if t := m.Terminal(); t != nil && info.Dead {
		return nil
	}

	a := m.Agent()
	p, err := r.profileOf(m, a)
	if err != nil {
		return err
	}

	if a.State != parley.StateTerminated {
		if _, err := r.ts.opts.Boundary.Sockets.Open(m.ID); err != nil {
			r.ts.log.Warn("an agent has no socket of its own", "agent", m.Name, "error", err)
		}
	}

	t := newTerminal(r.ts, m, p, info)
	if a := m.Agent(); a.State == parley.StateBlocked {
		t.Limit.Began(a.Since)
	}
	m.SetTerminal(t)
	if a.State == parley.StateTerminated { // a crash interrupted its stop
		_, err := r.ts.stopper.end(ctx, m, parley.StateTerminated, a.Evidence)
		return err
	}

	return nil
}

// adopted finds the agents that an earlier daemon adopted, by their stored panes. An option of the pane
// proves that it is the same one: it ends with the pane.
func (r recovery) adopted(ctx context.Context) {
	for _, m := range r.ts.roster.All() {
		a := m.Agent()
		if !a.Adopted() || a.State == parley.StateTerminated || !r.ts.roster.Hosts.Here(m) {
			continue
		}
		if err := r.adoptedAgent(ctx, m, a); err != nil {
			r.ts.log.Warn("an adopted agent is not where it was", "agent", m.Name, "error", err)
		}
	}
}

// adoptedAgent gives an adopted agent its terminal back. It fails when its pane is gone or belongs to
// another agent.
func (r recovery) adoptedAgent(ctx context.Context, m *team.Member, a parley.Agent) error {
	ctx, cancel := context.WithTimeout(ctx, userLookTime)
	defer cancel()

	server, done, err := r.ts.userServers.use(ctx, a.Socket)
	if err != nil {
		return err
	}
	defer done()

	info, err := server.Pane(a.Pane).Info(ctx)
	if err != nil {
		return err
	}
	if info.Owner != m.ID {
		return fmt.Errorf("pane %s no longer belongs to it", a.Pane)
	}

	p, err := r.profileOf(m, a)
	if err != nil {
		return err
	}

	s := &adoptedPane{server: server, info: info, argv: a.Command}
	if pid, argv, err := tmux.ForegroundProcess(info.PID); err == nil && programMatcher(p, a.Command)(argv) {
		s.pid = pid // else the watcher finds the program once it has the terminal
	}

	r.ts.adopter.give(m, p, s)

	return nil
}

// profileOf returns the profile of an agent, or the default if that no longer exists.
func (r recovery) profileOf(m *team.Member, a parley.Agent) (*profile.Profile, error) {
	p, err := r.ts.opts.Profiles.Find(cmp.Or(a.Profile, profile.Default))
	if err != nil {
		r.ts.log.Warn("a running agent's profile is gone; taking the default", "agent", m.Name, "profile", a.Profile)
		p, err = r.ts.opts.Profiles.Find(profile.Default)
	}
	return p, err
}

// lose records that an agent has lost its terminal, for the reason why. Its messages wait. Once the
// couriers run, the caller must hold m.Changing.
func (w *watcher) lose(ctx context.Context, m *team.Member, why string) error {
	m.SetTerminal(nil)
	if err := w.ts.couriers.Abandon(ctx, m, why); err != nil {
		return err
	}
	return w.ts.roster.Records.SetState(ctx, m, parley.StateUnreachable, why, nil)
}

// appearsWithin is how long after its last output a terminal is still searched for a program that has
// just appeared in it.
const appearsWithin = 5 * time.Second

// searchEvery is the least time between two such searches, which may list all processes.
const searchEvery = time.Second

// recognise returns the terminal of a member with the profile of the program that is seen in it. It
// differs from t if the launch hid that program and it has appeared now: then screens are read and
// messages are typed as that profile says. The caller holds m.Changing.
func (w *watcher) recognise(m *team.Member, t *team.Terminal, info tmux.PaneInfo) *team.Terminal {
	now := w.ts.now()
	if t.Known == nil || t.Searched.After(info.Activity.Add(appearsWithin)) || now.Sub(t.Searched) < searchEvery {
		return t
	}

	p, ok := t.Program()
	if !ok || p == t.Profile {
		t.Searched = now
		return t
	}
	if !m.Typing.TryLock() {
		return t // It is searched again: a quiet program may never be seen otherwise.
	}
	defer m.Typing.Unlock()
	t.Searched = now

	seen := newTerminal(w.ts, m, p, info)
	seen.Started, seen.Searched = t.Started, t.Searched
	m.SetTerminal(seen)
	m.SetRuns(p.Name)
	w.ts.log.Info("a program was recognized in its terminal", "agent", m.Name, "profile", p.Name)

	return seen
}

// retype returns the terminal of a member with the profile by which its program is typed to now. It differs from t if
// the program was checked meanwhile. The caller holds m.Changing.
func (w *watcher) retype(m *team.Member, t *team.Terminal, info tmux.PaneInfo) *team.Terminal {
	if w.ts.opts.TypedAs == nil {
		return t
	}
	p := w.ts.opts.TypedAs(m, t.Profile)
	if p == t.Profile || !m.Typing.TryLock() { // the next look tries again
		return t
	}
	defer m.Typing.Unlock()

	as := newTerminal(w.ts, m, p, info)
	as.Started, as.Searched, as.Launched = t.Started, t.Searched, t.Launched
	m.SetTerminal(as)
	w.ts.log.Info("a program is typed to in another way, by what its check found",
		"agent", m.Name, "profile", p.Name, "markers", p.HasMarkers())

	return as
}
