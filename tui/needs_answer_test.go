package tui

import (
	"context"
	"strings"
	"testing"

	"parley"
)

// permission is the dialog of the tests.
func permission() *parley.Dialog {
	return &parley.Dialog{ID: "5f0c21aa", Question: "Do you want to proceed?",
		Lines: []string{"touch x", "Do you want to proceed?"},
		Options: []parley.DialogOption{
			{Choice: "1", Label: "Yes", Marked: true}, {Choice: "2", Label: "No"},
			{Choice: "3", Label: "Type something", TakesText: true},
		}}
}

// asks lets the coder have this dialog open, and nothing else need the operator.
func (f *fakeService) asks(d *parley.Dialog) {
	f.needs, f.letters = nil, nil
	f.need(parley.NeedDialog, "coder", "a dialog is open in its terminal", "parley answer coder", "Answer it so.",
		"Do you want to proceed?")
	f.needs[0].Dialog = d
}

func (f *fakeService) AnswerDialog(
	_ context.Context, r parley.AnswerDialogRequest,
) (*parley.AnswerDialogResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.Answers() {
		res := &parley.AnswerDialogResult{Answer: parley.OK}
		for _, n := range f.needs {
			if n.AgentID == r.Agent && n.Kind == parley.NeedDialog {
				res.Dialog = n.Dialog
			}
		}
		return res, f.err
	}

	f.pleas = append(f.pleas, strings.TrimSpace("answer "+r.Dialog+" "+r.Choice+" "+r.Text))
	return &parley.AnswerDialogResult{Answer: parley.OK, Message: "Chosen. The dialog is closed."}, f.err
}

func TestChangedQuestionTakesNoKeys(t *testing.T) {
	f := busyTeam()
	f.asks(permission())
	s := newScreen(t, f, 120, 30)
	s.press("4", "enter")
	s.shows("1–9 choose")

	f.needs[0].Dialog = &parley.Dialog{ID: "other", Question: "And this?", Options: permission().Options}
	s.send(tickMsg(noon))
	s.shows("has changed or was answered. Nothing was sent.")
	s.hides("1–9 choose")
	s.did("")
}

func TestSecretsAreNotAnsweredFromNeeds(t *testing.T) {
	f := busyTeam()
	f.asks(&parley.Dialog{ID: "x", Question: "Password:", Secret: true})
	s := newScreen(t, f, 120, 30)
	s.press("4", "enter")
	s.shows("Back from coder.")
}

func TestWordsForAQuestionThatHasGoneAreNotSent(t *testing.T) {
	f := busyTeam()
	f.asks(permission())
	s := newScreen(t, f, 120, 30)
	s.press("4", "enter", "3")
	s.typed("use tabs")
	f.needs[0].Dialog = &parley.Dialog{ID: "other", Question: "And this?", Options: permission().Options}
	s.send(tickMsg(noon))
	s.press("enter")
	s.did("")
}
