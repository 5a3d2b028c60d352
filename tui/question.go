package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// question is the dialog of an agent, as the person who answers it has seen it.
type question struct {
	agentID, agent string
	dialog         *parley.Dialog
	key            string // that was pressed last
}

// names reports whether a key names an option.
func (q *question) names(key string) bool { return q.index(key) >= 0 }

func (q *question) index(key string) int {
	named := func(o parley.DialogOption) bool { return strings.EqualFold(o.Choice, key) }
	return slices.IndexFunc(q.dialog.Options, named)
}

// answerDialog sends an answer to the dialog that was seen, and to no other.
func (a actions) answerDialog(q *question, choice, text string) tea.Cmd {
	a.tell("Answering " + q.agent + "…")
	r := parley.AnswerDialogRequest{Agent: q.agentID, Dialog: q.dialog.ID, Choice: choice, Text: text}

	return a.run(action{do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.AnswerDialog(ctx, r)
		if err != nil {
			return "", err
		}
		return q.agent + ": " + safeLine(res.Message), nil
	}})
}

// tileRests is how long a question must have stood in its tile before a key answers it: a
// key that was on its way may be meant for what was there before.
const tileRests = 500 * time.Millisecond
