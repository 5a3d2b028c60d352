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

func TestDialogIsAnsweredFromNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		did  string
	}{
		"number": {[]string{"2"}, "answer 5f0c21aa 2"},
		"words":  {[]string{"3", "t", "a", "b", "s", "enter"}, "answer 5f0c21aa 3 tabs"},
		"t":      {[]string{"t", "o", "k", "enter"}, "answer 5f0c21aa 3 ok"},
		"other":  {[]string{"7", "esc"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := busyTeam()
			f.asks(permission())
			s := newScreen(t, f, 120, 30)
			s.press("4")
			s.shows("1  Yes", "2  No", "3  Type something …", "enter answer · a attach")
			s.press("2") // before it is opened, a number is a screen
			s.press("4", "enter")
			s.press(c.keys...)
			s.did(c.did)
			s.hides("1–9 choose")
		})
	}
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
