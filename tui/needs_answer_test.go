package tui

import (
	"context"
	"strings"
	"testing"

	"parley"
	"parley/tui/room"
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
				res.Dialog, res.Screen = n.Dialog, n.Screen
				res.ScreenID = "0ddba11e"
			}
		}
		return res, f.err
	}

	f.pleas = append(f.pleas, strings.TrimSpace("answer "+r.Dialog+" "+r.Choice+" "+r.Text+strings.Join(r.Keys, "+")))
	return &parley.AnswerDialogResult{Answer: parley.OK, Message: "Sent. The dialog is closed."}, f.err
}

func TestChangedQuestionTakesNoKeys(t *testing.T) {
	f := busyTeam()
	f.asks(permission())
	s := newScreen(t, f, 120, 30)
	s.press("4", "enter")
	s.shows("1–9 choose")

	f.needs[0].Dialog = &parley.Dialog{ID: "other", Question: "And this?", Options: permission().Options}
	s.send(room.TickMsg(noon))
	s.shows("has changed or was answered. Nothing was sent.")
	s.hides("1–9 choose")
	s.did("")
}

// What goes on may be no option: a tab, or a row that is not recognized.
func TestQuestionOffersKeysBesideItsOptions(t *testing.T) {
	f := busyTeam()
	d := permission()
	d.Hints = "Tab to navigate"
	d.Options[1].Several, d.Options[1].Ticked = true, true
	f.asks(d)
	s := newScreen(t, f, 120, 30)
	s.press("4")
	s.shows("It says: Tab to navigate", "[x] No")
	s.press("enter", "K")
	s.shows("Keys for coder")
	s.typed("Tab")
	s.press("enter")
	s.did("answer 0ddba11e  Tab")
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
	s.send(room.TickMsg(noon))
	s.press("enter")
	s.did("")
}

// A screen that is not known takes keys from here, for what it shows when they are asked for.
func TestUnknownScreenTakesKeys(t *testing.T) {
	f := busyTeam()
	f.asks(nil)
	s := newScreen(t, f, 120, 30)
	s.press("4")
	f.needs[0].Screen = []string{"Make auto mode your default?", "> Yes", "  No"}
	s.press("K")
	s.shows("Keys for coder, such as Down,Enter", "Make auto mode your default?")
	s.typed("Down, Enter")
	s.press("enter")
	s.shows("coder: Sent.")
	s.did("answer 0ddba11e  Down+Enter")
}

func TestSecretsTakeNoKeys(t *testing.T) {
	f := busyTeam()
	f.asks(&parley.Dialog{ID: "x", Question: "Password:", Secret: true})
	s := newScreen(t, f, 120, 30)
	s.press("4", "K")
	s.hides("Keys for coder")
	s.did("")
}
