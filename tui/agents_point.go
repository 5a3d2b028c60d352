package tui

import tea "charm.land/bubbletea/v2"

func (a *agents) point(p pointer) tea.Cmd {
	listW, listH, _, viewH := a.parts(p.w, p.h)
	switch {
	case p.wheel != 0:
		return times(p.wheel, a.move)
	case viewH > 0 && p.second(a.tier, listW, listH), p.y == 0:
		return nil
	case p.y < agentsHead:
		a.sortAt(p.x, listW)
		return nil
	}

	if all := a.entries(); a.top+p.y-agentsHead < len(all) {
		switch e := all[a.top+p.y-agentsHead]; {
		case e.agent != nil:
			a.sel = e.agent.ID
			if p.twice {
				return a.attach()
			}
		case e.dots != nil:
			a.folded = false
		}
	}

	return nil
}
