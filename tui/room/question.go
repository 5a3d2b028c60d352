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
)

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
func (a Actions) AnswerDialog(q *Question, choice, text string) tea.Cmd {
	a.Tell("Answering " + q.Agent + "…")
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
