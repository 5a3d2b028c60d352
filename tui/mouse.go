package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

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

func (m *model) clickTab(x int) tea.Cmd {
	_, ends := m.tabs(m.layout.inner)
	for i, end := range ends {
		if x < end {
			return m.goTo(place(i))
		}
	}
	return nil
}
