package room

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
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
	d.Keys.Confirm = nil
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
	d.Keys.Prompt = nil
	d.Tell("Cancelled.")
	return nil
}

// ConfirmKeys returns the keys while a question waits for yes or no.
func (d *Shared) ConfirmKeys() []kit.Binding {
	return []kit.Binding{
		verb.Yes.To("", d.Keys.agree).Hinted("yes"),
		verb.No.To("", d.decline, verb.Back, verb.Leave).Hinted("no"),
	}
}

// PromptKeys returns the keys while a line is asked for.
func (d *Shared) PromptKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("accept the line", d.Keys.takeLine).Hinted("accept"),
		verb.Rub.To("", d.Keys.rubLine),
		verb.Close.To("cancel", d.dropLine).Hinted("cancel"),
	}
}

// Question is the dialog of an agent, as the person who answers it has seen it.
type Question struct {
	AgentID, Agent string
	Dialog         *parley.Dialog
	Key            string // that was pressed last
}

// Names reports whether a key names an option.
func (q *Question) Names(key string) bool { return q.Index(key) >= 0 }

// Index returns the option that a key names; -1 for none.
func (q *Question) Index(key string) int {
	named := func(o parley.DialogOption) bool { return strings.EqualFold(o.Choice, key) }
	return slices.IndexFunc(q.Dialog.Options, named)
}

// Tick returns the box before an option of which several can be chosen.
func Tick(o parley.DialogOption) string {
	switch {
	case !o.Several:
		return ""
	case o.Ticked:
		return "[x] "
	}
	return "[ ] "
}

// AnswerDialog sends an answer to the dialog that was seen, and to no other.
func (a *Actions) AnswerDialog(q *Question, choice, text string) tea.Cmd {
	a.Room.Tell("Answering " + q.Agent + "…")
	r := parley.AnswerDialogRequest{Agent: q.AgentID, Dialog: q.Dialog.ID, Choice: choice, Text: text}

	return a.Run(Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.AnswerDialog.Call(ctx, s, r)
		if err != nil {
			return "", err
		}
		return q.Agent + ": " + kit.SafeLine(res.Message), nil
	}})
}

// TileRests is how long a question must have stood in its tile before a key answers it: a
// key that was on its way may be meant for what was there before.
const TileRests = 500 * time.Millisecond
