package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// Count returns how much waits for the operator.
func Count(n *Screen) int { return len(n.all) }

// Named returns what waits for the operator, to go to.
func Named(n *Screen) (all []room.Named) {
	for i := range n.all {
		x := &n.all[i]
		all = append(all, room.Named{Kind: "need", Name: kit.SafeLine(x.Agent), About: kit.CodeWords(x.Kind) + " · " +
			x.lead + x.headline(), Go: func() tea.Cmd { return goTo(n, x.key) }})
	}
	return all
}

// goTo puts the marker on a need, if it is still there.
func goTo(n *Screen, key string) tea.Cmd {
	n.Filter.Drop()
	n.sift(&n.Filter)
	n.sel, n.acted, n.inDetail = key, key, false
	return n.GoTo(room.AtNeeds)
}
