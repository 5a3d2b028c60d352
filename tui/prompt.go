package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// confirm is a question that is asked before something that cannot be undone.
type confirm struct {
	question string
	yes      func() tea.Cmd // is called once the person agrees: an action under way counts
}

func (c *confirm) lines(th theme, w int) []string {
	lines := wrap(c.question+" y/n", w)
	for i := range lines {
		lines[i] = th.warn.Render(lines[i])
	}
	return lines[:min(len(lines), 2)]
}

// prompt asks for one line at the bottom: a title, a few names.
type prompt struct {
	label string
	text  string
	take  func(text string) tea.Cmd // gets what was written, unless that is blank
}

// line draws the prompt with the end of its text in sight, where the cursor is.
func (p *prompt) line(th theme, w int) string {
	label := fit(p.label+": ", w*2/3)
	return th.accent.Render(label) + tail(p.text, w-width(label)-1)
}

func (p *prompt) insert(text string) {
	p.text += visible(strings.ReplaceAll(text, "\n", " "))
}
