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

// ask asks for a yes before a command runs.
func (d *shared) ask(question string, yes func() tea.Cmd) tea.Cmd {
	d.confirm = &confirm{question: question, yes: yes}
	return nil
}

func (d *shared) agree() tea.Cmd {
	yes := d.confirm.yes
	d.confirm = nil
	return yes()
}

func (d *shared) decline() tea.Cmd {
	d.confirm = nil
	if d.status.err == nil { // else it came while the question stood there
		d.tell("Cancelled.")
	}
	return nil
}

// askLine asks for a line of text.
func (d *shared) askLine(label string, take func(string) tea.Cmd) tea.Cmd {
	d.prompt = &prompt{label: label, take: take}
	return nil
}

func (d *shared) takeLine() tea.Cmd {
	p := d.prompt
	text := strings.TrimSpace(p.text)
	if text == "" {
		return nil
	}
	d.prompt = nil
	return p.take(text)
}

func (d *shared) rubLine() tea.Cmd {
	if r := []rune(d.prompt.text); len(r) > 0 {
		d.prompt.text = string(r[:len(r)-1])
	}
	return nil
}

func (d *shared) dropLine() tea.Cmd {
	d.prompt = nil
	d.tell("Cancelled.")
	return nil
}

func (d *shared) confirmKeys() []binding {
	return []binding{
		bind("y", "yes, do it", d.agree, "Y").hinted("yes"),
		bind("n esc", "no, cancel", d.decline, "N", "q", "ctrl+c").hinted("no"),
	}
}

func (d *shared) promptKeys() []binding {
	return []binding{
		bind("enter", "accept the line", d.takeLine).hinted("accept"),
		bind("backspace", "delete a character", d.rubLine, "ctrl+h"),
		bind("esc", "cancel", d.dropLine, "ctrl+c").hinted("cancel"),
	}
}
