package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

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
