package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// pointed handles the mouse. Keys can do all of that too.
func (m *model) pointed(msg tea.MouseMsg) tea.Cmd {
	l := &m.layout
	mouse, wheel := msg.Mouse(), 0
	switch msg.(type) {
	case tea.MouseWheelMsg:
		lines := map[tea.MouseButton]int{tea.MouseWheelUp: -kit.WheelLines, tea.MouseWheelDown: kit.WheelLines}
		wheel = lines[mouse.Button]
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

	if l.Small() {
		return nil
	}

	p := kit.Pointer{X: mouse.X, Y: mouse.Y - kit.RowsTop, W: l.Inner, H: l.ScreenH, Wheel: wheel}
	p.Twice = wheel == 0 && m.pointer.second(mouse.X, mouse.Y, m.room.Do.Now())
	switch s := m.scope(); {
	case s == room.InReview || s == room.InMerge:
		m.review.Changes.Scroll(wheel)
	case s == room.InTiles:
		return m.tiles.Point(p)
	case s == room.InHelp && wheel != 0:
		m.room.Keys.Help.Top += wheel
	case s == room.InPalette:
		p.H = l.BodyH
		return m.palette.point(p)
	case wheel == 0 && s != kit.InShell,
		s != kit.InShell && s != room.InCompose && s != room.InTo && s != room.InFilter && s != room.InList:
	case mouse.Y == 1 && wheel == 0:
		if screen, ok := m.frame.tabAt(mouse.X, l.Inner); ok {
			return m.room.GoTo(screen)
		}
	case p.Y >= 0 && p.Y < p.H && p.X < p.W:
		return m.room.Shown().Point(p)
	}

	return nil
}

// pointer is the mouse: it knows when a click is the second of two.
type pointer struct {
	on   bool
	at   time.Time // of the last one; zero after a second one
	x, y int
}

// second reports whether a click is the second of two at one place.
func (c *pointer) second(x, y int, now time.Time) bool {
	again := !c.at.IsZero() && now.Sub(c.at) <= doubleClick && y == c.y && max(x-c.x, c.x-x) <= 1
	*c = pointer{on: c.on, at: now, x: x, y: y}
	if again {
		c.at = time.Time{}
	}
	return again
}

// doubleClick is how soon the second click of two comes, as in most desktops.
const doubleClick = 400 * time.Millisecond
