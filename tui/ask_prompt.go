package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

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
