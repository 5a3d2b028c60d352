package tui

func (m *model) resize(w, h int) {
	m.layout.width, m.layout.height = w, h
	m.tier = m.tier.at(w)
}

// settle sets all sizes, and scrolls accordingly. It runs after each message, so
// that View only draws.
func (m *model) settle() {
	l := &m.layout
	if l.small() {
		return
	}

	l.inner = l.width - spare
	l.statusH = len(m.statusLines(l.inner))
	l.bodyH = l.height - 3 - l.statusH
	l.bottomH = m.compose.lines(l.inner, l.bodyH)
	l.screenH = l.bodyH
	if l.bottomH > 0 {
		l.screenH -= l.bottomH + 1
	}

	m.shown().settle(l.inner, l.screenH)
	m.tiles.settle(l.inner, l.screenH)
	m.compose.resize(l.inner, composeHeight(l.bodyH))
	m.palette.settle(l.inner, l.bodyH)
	m.help.settle(m.theme, m.keys, l.inner, l.bodyH)
	m.workspaces.settle(l.bodyH)
}
