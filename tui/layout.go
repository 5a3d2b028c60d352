package tui

const (
	minWidth, minHeight = 60, 20 // below, the screen asks for room instead of breaking
	slack               = 6      // columns by which a window must shrink before a tier is left again
)

// tier is how much room there is, in columns.
type tier int

const (
	narrow tier = iota // one column
	medium             // words beside the glyphs
	wide               // details beside the list
	broad              // and more of them
)

// from are the columns at which the tiers begin.
var tierFrom = []int{narrow: 0, medium: 96, wide: 132, broad: 180}

// at is the tier of a width, seen from the one that holds: dragging a window's
// edge across a border changes the screen once.
func (t tier) at(width int) tier {
	up := t
	for up < broad && width >= tierFrom[up+1] {
		up++
	}
	for up > narrow && width < tierFrom[up]-slack {
		up--
	}
	return up
}

// layout is how large things are.
type layout struct {
	width, height int
	inner         int // columns used
	statusH       int
	bodyH         int // between bar and status
	bottomH       int // of what is written, without its title; 0 when it is closed
	screenH       int // what is left to the screen
}

func (l *layout) small() bool { return l.width < minWidth || l.height < minHeight }

func (m *model) resize(w, h int) {
	m.layout.width, m.layout.height = w, h
	m.tier = m.tier.at(w)
}

// settle makes everything as large as it now is, and scrolled accordingly. It is
// called after each message, so that View only draws.
func (m *model) settle() {
	l := &m.layout
	if l.small() {
		return
	}

	l.inner = l.width - spare
	l.statusH = len(m.statusLines(l.inner))
	l.bodyH = l.height - 3 - l.statusH
	l.bottomH = m.bottomHeight()
	l.screenH = l.bodyH
	if l.bottomH > 0 {
		l.screenH -= l.bottomH + 1
	}

	m.screen().settle(l.inner, l.screenH)
	m.compose.resize(l.inner, composeHeight(l.bodyH))
	m.palette.settle(m.theme, l.inner, l.bodyH)
	if m.help.height = l.bodyH - 1; m.help.open {
		m.help.settle(len(m.help.lines(m.theme, l.inner)))
	}
}

// bottomHeight is how many lines the box takes below its title.
func (m *model) bottomHeight() int {
	if !m.compose.open {
		return 0
	}
	n := 1 + composeHeight(m.layout.bodyH)
	if m.compose.err != nil {
		n += min(len(errorLines(m.theme, m.compose.err, m.layout.inner)), 4)
	}
	return n
}

func composeHeight(body int) int { return clamp(body/5, 3, 8) }
