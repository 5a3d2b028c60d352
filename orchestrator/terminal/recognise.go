package terminal

import (
	"time"

	"parley/orchestrator/team"
	"parley/tmux"
)

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
