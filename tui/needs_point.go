package tui

import tea "charm.land/bubbletea/v2"

func (n *needs) point(p pointer) tea.Cmd {
	listW, listH, _, paneH := n.parts(p.w, p.h)
	inPane := paneH > 0 && p.second(n.tier, listW, listH)
	switch {
	case inPane && p.wheel != 0:
		n.detail.top += p.wheel
	case inPane:
		n.inDetail = true
	case p.wheel != 0:
		n.inDetail = false
		return times(p.wheel, n.move)
	case p.y > 0:
		i, at := n.top+p.y-1, n.index()
		if i > at {
			i-- // the row under the marker takes two lines
		}
		if n.inDetail = false; i < len(n.list) && i != at {
			n.mark(i)
			n.detail.top = 0
		}
		n.inDetail = p.twice
	}

	return nil
}
