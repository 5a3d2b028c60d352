package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

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
