package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// prompt asks for one line, at the bottom: a title, a few names.
type prompt struct {
	label string
	text  string
	take  func(text string) tea.Cmd // of what was written, when there is something
}

func (m *model) askLine(label, text string, take func(string) tea.Cmd) tea.Cmd {
	m.prompt = &prompt{label: label, text: text, take: take}
	return nil
}

// line draws it with its end in sight: that is where the cursor is.
func (p *prompt) line(th theme, w int) string {
	label := fit(p.label+": ", w*2/3)
	return th.accent.Render(label) + tail(p.text, w-width(label)-1)
}

func (p *prompt) write(text string) {
	p.text += visible(strings.ReplaceAll(text, "\n", " "))
}

func (m *model) takePrompt() tea.Cmd {
	p := m.prompt
	text := strings.TrimSpace(p.text)
	if text == "" {
		return nil
	}
	m.prompt = nil
	return p.take(text)
}

func (m *model) rubPrompt() tea.Cmd {
	if r := []rune(m.prompt.text); len(r) > 0 {
		m.prompt.text = string(r[:len(r)-1])
	}
	return nil
}

func (m *model) dropPrompt() tea.Cmd {
	m.prompt = nil
	m.tell("Left as it is.")
	return nil
}

func promptKeys() []binding {
	return []binding{
		{inPrompt, []string{"enter"}, "enter", "go on with what is written", "go on", (*model).takePrompt, ""},
		{inPrompt, []string{"backspace", "ctrl+h"}, "backspace", "delete a character", "", (*model).rubPrompt, ""},
		{inPrompt, []string{"esc", "ctrl+c"}, "esc", "leave it", "leave it", (*model).dropPrompt, ""},
	}
}
