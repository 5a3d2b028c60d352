package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// pointed handles the mouse. Keys can do all of that too.
func (m *model) pointed(msg tea.MouseMsg) tea.Cmd {
	l := &m.layout
	if msg = (divider{m.Shared, l}).drag(msg); msg == nil {
		return nil
	}

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
	p.Twice = wheel == 0 && m.clicks.second(mouse.X, mouse.Y, m.Do.Now())
	switch s := m.scope(); {
	case s == room.InReview || s == room.InMerge:
		m.review.Scroll(wheel)
	case s == room.InTiles:
		return m.tiles.Point(p)
	case s == room.InHelp && wheel != 0:
		m.Help.Top += wheel
	case s == room.InPalette:
		p.H = l.BodyH
		return m.palette.point(p)
	case wheel == 0 && s != kit.InShell,
		s != kit.InShell && s != room.InCompose && s != room.InTo && s != room.InFilter && s != room.InList:
	case mouse.Y == 1 && wheel == 0:
		if screen, ok := m.frame.tabAt(mouse.X, l.Inner); ok {
			return m.GoTo(screen)
		}
	case p.Y >= 0 && p.Y < p.H && p.X < p.W:
		return m.Shown().Point(p)
	}

	return nil
}
