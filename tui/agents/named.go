package agents

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// Named returns the agents, to go to.
func Named(a *Screen) (all []room.Named) {
	for i := range a.Team.List {
		s := &a.Team.List[i]
		about := []string{string(s.State)}
		for _, words := range []string{kit.SafeLine(s.Role), program(s), branch(s)} {
			if words != "" {
				about = append(about, words)
			}
		}
		all = append(all, room.Named{
			Kind: "agent", Name: s.Name, About: strings.Join(about, " · "), Go: goingTo(a, s.ID),
		})
	}
	return all
}

// goingTo returns the way to an agent, for a list of names.
func goingTo(a *Screen, id string) func() tea.Cmd {
	return func() tea.Cmd {
		a.Filter.Drop()
		a.sort()
		a.Sel = id
		return a.GoTo(room.AtAgents)
	}
}
