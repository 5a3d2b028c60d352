package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Pane is a text that scrolls.
type Pane struct{ Top, Height int }

// Move scrolls.
func (p *Pane) Move(by Motion) { p.Top += by.Lines(p.Height) }

// Settle keeps the scrolling within so many lines.
func (p *Pane) Settle(lines int) { p.Top = Clamp(p.Top, 0, max(0, lines-p.Height)) }

// Note returns what the title adds: how many of so many lines follow.
func (p *Pane) Note(lines int) string {
	if more := lines - p.Top - p.Height; more > 0 {
		return Plural(more, "more line")
	}
	if p.Top > 0 {
		return "end"
	}
	return ""
}

// View draws the lines in view below a title.
func (p *Pane) View(title string, lines []string) []string {
	return Clip(append([]string{title}, lines[Clamp(p.Top, 0, len(lines)):]...), p.Height+1)
}

// Motion is a movement of the marker.
type Motion int

const (
	LineUp Motion = iota
	LineDown
	PageUp
	PageDown
	ToTop
	ToBottom
)

// All is more lines than any list has.
const All = 1 << 30

// Lines returns how far a motion goes in a list that shows height lines.
func (by Motion) Lines(height int) int {
	page := max(1, height-1)
	switch by {
	case LineUp:
		return -1
	case LineDown:
		return 1
	case PageUp:
		return -page
	case PageDown:
		return page
	case ToTop:
		return -All
	}

	return All
}

// WheelLines is how many lines one notch of the wheel goes.
const WheelLines = 3

// Pointer is a click or a turn of the wheel, at a line and column of a screen of
// h lines and w columns.
type Pointer struct {
	X, Y, W, H int
	Wheel      int  // lines down; 0 for a click
	Twice      bool // it is the second click in a row
}

// RowsTop are the lines above a screen: the header and the bar.
const RowsTop = 2

// Times moves a marker some lines up or down.
func Times(n int, move func(Motion) tea.Cmd) tea.Cmd {
	by := LineDown
	if n < 0 {
		by, n = LineUp, -n
	}
	var cmds []tea.Cmd
	for range n {
		cmds = append(cmds, move(by))
	}
	return tea.Batch(cmds...)
}

// Second reports whether the pointer is in the second of two panes. The first has
// so many columns, or, if they are below each other, lines.
func (p Pointer) Second(t Tier, firstW, firstH int) bool {
	if t >= Wide {
		return p.X > firstW
	}
	return p.Y >= firstH
}

const (
	MinWidth, MinHeight = 60, 20 // below, the screen asks for room instead of breaking
	slack               = 6      // columns by which a window must shrink before a tier is left again
)

// Tier is how much room there is, in columns.
type Tier int

const (
	Narrow Tier = iota // one column
	Medium             // words beside the glyphs
	Wide               // details beside the list
	Broad              // and more of them
)

// tierFrom are the columns at which the tiers begin.
var tierFrom = []int{Narrow: 0, Medium: 96, Wide: 132, Broad: 180}

// At returns the tier of a width, given the current one: dragging a window's
// edge across a border changes the screen once.
func (t Tier) At(width int) Tier {
	up := t
	for up < Broad && width >= tierFrom[up+1] {
		up++
	}
	for up > Narrow && width < tierFrom[up]-slack {
		up--
	}
	return up
}

// Layout is how large things are.
type Layout struct {
	Width, Height int
	Inner         int // columns used
	StatusH       int
	BodyH         int // between bar and status
	BottomH       int // lines of the writing box without its title; 0 while it is closed
	ScreenH       int // what is left for the screen
}

// Small reports whether the window has no room for a screen.
func (l *Layout) Small() bool { return l.Width < MinWidth || l.Height < MinHeight }

// Confirm is a question that is asked before something that cannot be undone.
type Confirm struct {
	Question string
	Yes      func() tea.Cmd // is called once the person agrees: an action under way counts
}

// Lines draws the question, in two lines at most.
func (c *Confirm) Lines(th Theme, w int) []string {
	lines := Wrap(c.Question+" y/n", w)
	for i := range lines {
		lines[i] = th.Warn.Render(lines[i])
	}
	return lines[:min(len(lines), 2)]
}

// Prompt asks for one line at the bottom: a title, a few names.
type Prompt struct {
	Label string
	Text  string
	Take  func(text string) tea.Cmd // gets what was written, unless that is blank
}

// Line draws the prompt with the end of its text in sight, where the cursor is.
func (p *Prompt) Line(th Theme, w int) string {
	label := Fit(p.Label+": ", w*2/3)
	return th.Accent.Render(label) + Tail(p.Text, w-Width(label)-1)
}

// Insert adds a text, as one line.
func (p *Prompt) Insert(text string) {
	p.Text += Visible(strings.ReplaceAll(text, "\n", " "))
}

// Line is a line of text that is being written, with the cursor at its end.
type Line string

// Press takes a key that has no binding: text, or one that deletes it.
func (l *Line) Press(key tea.KeyPressMsg) {
	r := []rune(*l)
	switch key.String() {
	case "backspace", "ctrl+h":
		*l = Line(r[:max(0, len(r)-1)])
	case "ctrl+w", "alt+backspace":
		*l = (*l)[:strings.LastIndex(strings.TrimRight(string(*l), " "), " ")+1]
	case "ctrl+u":
		*l = ""
	default:
		l.Insert(key.Text)
	}
}

// Insert adds a text, as one line.
func (l *Line) Insert(text string) {
	*l += Line(Visible(strings.ReplaceAll(text, "\n", " ")))
}
