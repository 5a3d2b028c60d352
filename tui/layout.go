package tui

const (
	minWidth, minHeight = 60, 20 // below, the screen asks for room instead of breaking

	// The agents stand beside the traffic from goWide on, and above it below
	// goNarrow: dragging a window's edge across one of them changes it once.
	goWide, goNarrow = 104, 96
)

// layout is where the panes are. Heights of panes are without their titles.
type layout struct {
	width, height      int
	wide               bool
	inner              int // columns used
	agentsW, agentsH   int
	trafficW, trafficH int
	bottomH            int // 0 when nothing is open there
	bodyH              int // all of it, between header and status
	statusH            int
}

func (l *layout) small() bool { return l.width < minWidth || l.height < minHeight }

func (l *layout) resize(w, h int) {
	l.width, l.height = w, h
	l.wide = w >= goWide || l.wide && w >= goNarrow
}

// settle makes every pane as large as it now is, and scrolled accordingly. It
// is called after each message, so that View only draws.
func (m *model) settle() {
	l := &m.layout
	if l.small() {
		return
	}
	l.inner = l.width - spare
	l.statusH = len(m.statusLines(l.inner))
	l.bodyH = l.height - 2 - l.statusH
	l.bottomH = m.bottomHeight()
	upper := l.bodyH
	if l.bottomH > 0 {
		upper -= l.bottomH + 1
	}
	if l.wide {
		l.agentsW = clamp(l.inner*27/100, 32, 48)
		l.trafficW = l.inner - l.agentsW - 3
		l.agentsH, l.trafficH = upper-1, upper-1
	} else {
		l.agentsW, l.trafficW = l.inner, l.inner
		l.agentsH = m.stripHeight(upper)
		l.trafficH = upper - l.agentsH - 2
	}
	m.agents.settle(l.agentsW, l.agentsH, !l.wide, m.now)
	m.traffic.resize(l.trafficH)
	m.settleBottom()
}

func (m *model) settleBottom() {
	l := &m.layout
	m.compose.resize(l.inner, composeHeight(l.bodyH))
	if m.help.height = l.bodyH - 1; m.help.open {
		m.help.settle(len(m.help.lines(m.theme, l.inner)))
	}
	if m.needs.height = l.bodyH - 1; m.needs.open {
		m.needs.settle(len(m.needs.lines(m.theme, l.inner, m.now)))
	}
	if m.detail.height = l.bottomH; m.detail.open && !m.compose.open {
		m.detail.settle(len(m.detail.lines(m.theme, l.inner, m.now)))
	}
}

func (m *model) stripHeight(upper int) int {
	n := 1
	if len(m.agents.list) > 0 {
		rows, _ := m.agents.chips(m.theme, m.layout.inner, false)
		n = len(rows)
	} else {
		n = len(m.agents.nothing(m.theme, m.layout.inner, m.link.team))
	}
	return clamp(n, 1, max(1, upper/4))
}

// bottomHeight is how many lines the message or the box takes below its title.
func (m *model) bottomHeight() int {
	l := &m.layout
	switch {
	case m.compose.open:
		n := composeHeight(l.bodyH)
		if m.compose.err != nil {
			n += min(len(errorLines(m.theme, m.compose.err, l.inner)), 4)
		}
		return n
	case m.detail.open:
		return clamp(l.bodyH*45/100, 6, 18)
	}
	return 0
}

func composeHeight(body int) int { return clamp(body/5, 3, 8) }
