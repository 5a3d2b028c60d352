package room

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/verb"
)

// Ask asks for a yes before a command runs.
func (d *keyboard) Ask(question string, yes func() tea.Cmd) tea.Cmd {
	d.Confirm = &kit.Confirm{Question: question, Yes: yes}
	return nil
}

func (d *keyboard) agree() tea.Cmd {
	yes := d.Confirm.Yes
	d.Confirm = nil
	return yes()
}

func (d *Shared) decline() tea.Cmd {
	d.Confirm = nil
	if d.Status.Err == nil { // else it came while the question stood there
		d.Tell("Cancelled.")
	}
	return nil
}

// AskLine asks for a line of text.
func (d *keyboard) AskLine(label string, take func(string) tea.Cmd) tea.Cmd {
	d.Prompt = &kit.Prompt{Label: label, Take: take}
	return nil
}

func (d *keyboard) takeLine() tea.Cmd {
	p := d.Prompt
	text := strings.TrimSpace(p.Text)
	if text == "" {
		return nil
	}
	d.Prompt = nil
	return p.Take(text)
}

func (d *keyboard) rubLine() tea.Cmd {
	if r := []rune(d.Prompt.Text); len(r) > 0 {
		d.Prompt.Text = string(r[:len(r)-1])
	}
	return nil
}

func (d *Shared) dropLine() tea.Cmd {
	d.Prompt = nil
	d.Tell("Cancelled.")
	return nil
}

// ConfirmKeys returns the keys while a question waits for yes or no.
func (d *Shared) ConfirmKeys() []kit.Binding {
	return []kit.Binding{
		verb.Yes.To("", d.agree).Hinted("yes"),
		verb.No.To("", d.decline, verb.Back, verb.Leave).Hinted("no"),
	}
}

// PromptKeys returns the keys while a line is asked for.
func (d *Shared) PromptKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("accept the line", d.takeLine).Hinted("accept"),
		verb.Rub.To("", d.rubLine),
		verb.Close.To("cancel", d.dropLine).Hinted("cancel"),
	}
}
