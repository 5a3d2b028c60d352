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
	if msg = (divider{m.room, l}).drag(msg); msg == nil {
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

// divided is a screen with a list and something next to it.
type divided interface {
	Parts(w, h int) (listW, listH, paneW, paneH int)
}

// divider is the line between a list and what stands next to it.
type divider struct {
	room   *room.Shared
	layout *kit.Layout
}

// drag moves the divider of the shown screen, and returns what else the mouse does: nil for nothing. A click on
// a divider that is not moved is a click on the title of the pane below.
func (d divider) drag(msg tea.MouseMsg) tea.MouseMsg {
	s, ok := d.room.Shown().(divided)
	sizes, at := &d.room.Dividers, msg.Mouse()
	if !ok || d.room.Keys.Scope() != kit.InShell || d.layout.Small() {
		sizes.Dragging = false
		return msg
	}

	y := at.Y - kit.RowsTop
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		sizes.Dragging = at.Button == tea.MouseLeft && d.under(s, at.X, y)
		sizes.Moved = false
		if !sizes.Dragging {
			return msg
		}
	case tea.MouseMotionMsg:
		if !sizes.Dragging {
			return msg
		}
		sizes.Moved = true
		if d.room.Tier >= kit.Wide {
			sizes.Percent[d.room.At] = kit.Clamp((at.X-1)*100/max(1, d.layout.Inner), 1, 99)
		} else {
			sizes.Lines[d.room.At] = kit.Clamp(y*100/max(1, d.layout.ScreenH), 1, 99)
		}
	case tea.MouseReleaseMsg:
		clicked := sizes.Dragging && !sizes.Moved && d.room.Tier < kit.Wide
		sizes.Dragging = false
		if clicked {
			return tea.MouseClickMsg(at)
		}
	default:
		return msg
	}

	return nil
}

// under reports whether it is at a place on a screen.
func (d divider) under(s divided, x, y int) bool {
	listW, listH, paneW, paneH := s.Parts(d.layout.Inner, d.layout.ScreenH)
	if d.room.Tier >= kit.Wide {
		return paneW > 0 && x == listW+1 && y > 0 && y < d.layout.ScreenH
	}
	return paneH > 0 && listH > 0 && y == listH
}
