package tui

import (
	"parley/tui/compose"
	"parley/tui/kit"
)

func (m *model) resize(w, h int) {
	m.layout.Width, m.layout.Height = w, h
	m.Tier = m.Tier.At(w)
}

// settle sets all sizes, and scrolls accordingly. It runs after each message, so
// that View only draws.
func (m *model) settle() {
	l := &m.layout
	if l.Small() {
		return
	}

	l.Inner = l.Width - kit.Spare
	l.StatusH = len(m.statusLines(l.Inner))
	l.BodyH = l.Height - 3 - l.StatusH
	l.BottomH = m.compose.Lines(l.Inner, l.BodyH)
	l.ScreenH = l.BodyH
	if l.BottomH > 0 {
		l.ScreenH -= l.BottomH + 1
	}

	m.Shown().Settle(l.Inner, l.ScreenH)
	m.tiles.Settle(l.Inner, l.ScreenH)
	if m.review.Opened() {
		m.review.Settle(l.Inner, l.ScreenH)
	}
	m.compose.Resize(l.Inner, compose.Height(l.BodyH))
	m.palette.settle(l.Inner, l.BodyH)
	m.Help.Settle(m.Theme, m.Bound, l.Inner, l.BodyH)
	m.workspaces.settle(l.BodyH)
}
