package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

func (n *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, paneH := n.Parts(p.W, p.H)
	inPane := paneH > 0 && p.Second(n.room.Tier, listW, listH)
	switch {
	case inPane && p.Wheel != 0:
		n.Detail.Top += p.Wheel
	case inPane:
		n.inDetail = true
	case p.Wheel != 0:
		n.inDetail = false
		return kit.Times(p.Wheel, n.Move)
	case p.Y > 0:
		i, at := n.list.top+p.Y-1, n.list.index()
		if i > at {
			i-- // the row under the marker takes two lines
		}
		if n.inDetail = false; i < len(n.list.list) && i != at {
			n.list.mark(i)
			n.Detail.Top = 0
		}
		n.inDetail = p.Twice
	}

	return nil
}
