package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// line is a line of text that is being written, with the cursor at its end.
type line string

// press takes a key that has no binding: text, or one that deletes it.
func (l *line) press(key tea.KeyPressMsg) {
	r := []rune(*l)
	switch key.String() {
	case "backspace", "ctrl+h":
		*l = line(r[:max(0, len(r)-1)])
	case "ctrl+w", "alt+backspace":
		*l = (*l)[:strings.LastIndex(strings.TrimRight(string(*l), " "), " ")+1]
	case "ctrl+u":
		*l = ""
	default:
		l.insert(key.Text)
	}
}

func (l *line) insert(text string) {
	*l += line(visible(strings.ReplaceAll(text, "\n", " ")))
}
