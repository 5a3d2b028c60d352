package agents

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

func (a *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, viewH := a.Parts(p.W, p.H)
	switch {
	case p.Wheel != 0:
		return kit.Times(p.Wheel, a.Move)
	case viewH > 0 && p.Second(a.Tier, listW, listH), p.Y == 0:
		return nil
	case p.Y < agentsHead:
		shown := a.table.shrunk(listW)
		if o, ok := shown.orderAt(p.X); ok {
			a.order = o
			a.sort()
			a.Tell("Ordered " + orderNames[o] + ".")
		}
		return nil
	}

	if all := a.entries(); a.top+p.Y-agentsHead < len(all) {
		switch e := all[a.top+p.Y-agentsHead]; {
		case e.agent != nil:
			a.Sel = e.agent.ID
			if p.Twice {
				return a.Attach()
			}
		case len(e.folded) > 0:
			a.unfold(e.head)
		}
	}

	return nil
}
