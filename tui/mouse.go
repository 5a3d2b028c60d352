package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// wheelLines is how many lines one notch of the wheel goes.
const wheelLines = 3

// pointer is a click or a turn of the wheel, at a line and column of a screen of
// h lines and w columns.
type pointer struct {
	x, y, w, h int
	wheel      int  // lines down; 0 for a click
	twice      bool // it is the second click in a row
}

// clicks knows when a click is the second of two.
type clicks struct {
	at   time.Time // of the last one; zero after a second one
	x, y int
}

// doubleClick is how soon the second click of two comes, as in most desktops.
const doubleClick = 400 * time.Millisecond

// second reports whether a click is the second of two at one place.
func (c *clicks) second(x, y int, now time.Time) bool {
	again := !c.at.IsZero() && now.Sub(c.at) <= doubleClick && y == c.y && max(x-c.x, c.x-x) <= 1
	*c = clicks{at: now, x: x, y: y}
	if again {
		c.at = time.Time{}
	}
	return again
}

// rowsTop are the lines above a screen: the header and the bar.
const rowsTop = 2

// pointed handles the mouse. Keys can do all of that too.
func (m *model) pointed(msg tea.MouseMsg) tea.Cmd {
	if msg = m.drag(msg); msg == nil {
		return nil
	}

	mouse, wheel := msg.Mouse(), 0
	switch msg.(type) {
	case tea.MouseWheelMsg:
		wheel = map[tea.MouseButton]int{tea.MouseWheelUp: -wheelLines, tea.MouseWheelDown: wheelLines}[mouse.Button]
		if wheel == 0 {
			return nil
		}
	case tea.MouseClickMsg:
		if mouse.Button != tea.MouseLeft {
			return nil
		}
	default:
		return nil
	}

	l := &m.layout
	if l.small() {
		return nil
	}

	p := pointer{x: mouse.X, y: mouse.Y - rowsTop, w: l.inner, h: l.screenH, wheel: wheel}
	p.twice = wheel == 0 && m.clicks.second(mouse.X, mouse.Y, m.do.now())
	switch s := m.scope(); {
	case s == inTiles:
		return m.tiles.point(p)
	case s == inHelp && wheel != 0:
		m.help.top += wheel
	case s == inPalette:
		p.h = l.bodyH
		return m.palette.point(p)
	case wheel == 0 && s != inShell, s != inShell && s != inCompose && s != inTo && s != inFilter:
	case mouse.Y == 1 && wheel == 0:
		return m.clickTab(mouse.X)
	case p.y >= 0 && p.y < p.h && p.x < p.w:
		return m.shown().point(p)
	}

	return nil
}

// point marks a row. A click on the marked one does it, as enter does; a click on
// an argument writes its name.
func (p *palette) point(at pointer) tea.Cmd {
	row := p.top + at.y - paletteHead
	switch {
	case at.wheel != 0:
		p.move(at.wheel)
	case at.y < paletteHead || at.y >= at.h || at.x >= at.w:
	case p.op != nil:
		fields := p.arguments()
		if i := row - len(p.argumentLines(at.w)) + len(fields); i >= 0 && i < len(fields) {
			p.addArgument(fields[i])
		}
	case row < len(p.found) && row == p.sel:
		return p.choose()
	case row < len(p.found):
		p.sel = row
	}

	return nil
}

func (m *model) clickTab(x int) tea.Cmd {
	_, ends := m.tabs(m.layout.inner)
	for i, end := range ends {
		if x < end {
			return m.goTo(place(i))
		}
	}
	return nil
}

// times moves a marker some lines up or down.
func times(n int, move func(motion) tea.Cmd) tea.Cmd {
	by := lineDown
	if n < 0 {
		by, n = lineUp, -n
	}
	var cmds []tea.Cmd
	for range n {
		cmds = append(cmds, move(by))
	}
	return tea.Batch(cmds...)
}

// second reports whether the pointer is in the second of two panes. The first has
// so many columns, or, if they are below each other, lines.
func (p pointer) second(t tier, firstW, firstH int) bool {
	if t >= wide {
		return p.x > firstW
	}
	return p.y >= firstH
}

func (t *traffic) point(p pointer) tea.Cmd {
	listW, listH, _, detailH := t.parts(p.w, p.h)
	inDetail := detailH > 0 && p.second(t.tier, listW, listH)
	switch i := t.record.top + p.y - 1; {
	case inDetail && p.wheel != 0:
		t.detail.top += p.wheel
	case inDetail:
		t.inDetail = true
		t.setFollow(false)
	case p.wheel != 0:
		return times(p.wheel, func(by motion) tea.Cmd { t.record.move(by.lines(1)); return nil })
	case p.y > 0 && i < len(t.lines) && t.lines[i].row != nil:
		x := t.lines[i]
		if again := x.row == t.sel && !t.inDetail; again && (x.of != nil || !t.opened()) {
			return t.enter()
		}
		t.inDetail, t.follow, t.sel = false, false, x.row
		t.record.settle()
	}

	return nil
}

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

func (t *threads) point(p pointer) tea.Cmd {
	listW, listH, _, talkH := t.parts(p.w, p.h)
	inTalk := talkH > 0 && p.second(t.tier, listW, listH)
	switch i := t.top + p.y - 1; {
	case inTalk && p.wheel != 0:
		t.talk.scroll(p.wheel)
	case p.wheel != 0:
		t.inTalk = false
		return times(p.wheel, t.move)
	case inTalk:
		_, _, w, _ := t.parts(p.w, p.h)
		head := 1 + len(t.head(w))
		if t.tier < wide {
			head += listH
		}
		t.talk.click(p.y - head)
		if !t.inTalk {
			return t.turn()
		}
	case !inTalk && p.y > 0 && i < len(t.list):
		t.inTalk, t.sel = false, t.list[i].ID
		if p.twice {
			return t.turn()
		}
	}

	return nil
}

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

func (h *health) point(p pointer) tea.Cmd {
	h.top += p.wheel
	return nil
}
