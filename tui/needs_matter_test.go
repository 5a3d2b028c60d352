package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// rows are the lines of a list on which the marker can stand, from the first to the last.
func (s *stage) rows() (rows []string) {
	s.press("g")
	for range 20 {
		for _, row := range strings.Split(s.text(), "\n")[kit.RowsTop+1:] {
			if strings.HasPrefix(row, "▸ ") && (len(rows) == 0 || row != rows[len(rows)-1]) {
				rows = append(rows, row)
			}
		}
		s.press("j")
	}
	return rows
}

// One matter takes one row: the dialog of an agent with the debt behind it, a request with the debts of all that were
// asked and what reminds of it. Every count is of the same matters, as the daemon's.
func TestOneRowForEachMatter(t *testing.T) {
	const asked, other = "5f0c0002-1111-4111-8111-111111111111", "5f0c0003-1111-4111-8111-111111111111"
	const open = "5f0c0007-1111-4111-8111-111111111111"

	f := busyTeam()
	f.asks(permission())
	f.need(parley.NeedOverdue, "coder", "owes tester a response", "", "")
	f.need(parley.NeedOverdue, "tester", "owes coder a response", "", "")
	f.need(parley.NeedOverdue, "reviewer", "owes coder a response too", "", "")
	f.need(parley.NeedOverdue, parley.OperatorName, "owes reviewer a response", "", "")
	for i, id := range []string{"", other, asked, asked, open} {
		f.needs[i].MessageID = id
	}
	f.needs[4].AgentID = operatorID

	due := noon.Add(-time.Minute)
	f.letters = []parley.InboxMessage{
		{MessageID: open, Sender: "reviewer", Content: "Which one?", ResponseDeadline: &due,
			ResponseStatus: parley.ResponseOpen, Timestamp: noon},
		{MessageID: "n1", Sender: parley.SystemName, InReplyTo: asked, Content: "tester has not answered",
			Timestamp: noon},
		{MessageID: "n2", Sender: parley.SystemName, InReplyTo: other, Content: "coder has not answered",
			Timestamp: noon},
	}
	f.agents[len(f.agents)-1].Unread = 3

	s := newScreen(t, f, 160, 40)
	s.shows("! 3 need you", "1 for you", "Needs you 3")
	s.press("4")
	s.shows("Do you want to proceed?", "+1 queued, 1 owed", "+1 more",
		"also overdue: owes tester a response", "⊘ overdue  tester", "Needs you 3", "» asks you", "Which one?")
	if got, want := len(s.rows()), 3; got != want {
		t.Errorf("%d rows, want %d:\n%s", got, want, s.text())
	}

	s.press("G", "x") // a debt that is dismissed takes its reminder along
	s.did("dismiss " + asked)
	if got, want := len(f.read), 1; got != want || f.read[0] != "n1" {
		t.Errorf("marked %q read, want the reminder", f.read)
	}
}

// A low window shows the question and what may be answered.
func TestLowWindowShowsTheEndOfADialog(t *testing.T) {
	f := busyTeam()
	d := permission()
	d.Lines = nil
	for range 20 {
		d.Lines = append(d.Lines, "talk before it")
	}
	d.Lines = append(d.Lines, d.Question)
	f.asks(d)
	s := newScreen(t, f, 60, 20)
	s.press("4")
	s.shows("│ Do you want to proceed?", "1  Yes", "2  No", "3  Type something …")
}

// What is between agents is below all else, dim, one row for each kind, and counted nowhere.
func TestWhatIsBetweenAgentsIsNotCounted(t *testing.T) {
	f := busyTeam()
	f.asks(permission())
	for _, agent := range []string{"coder", "tester", "reviewer"} {
		f.need(parley.NeedOverdue, agent, "owes planner a response", "", "")
		f.need(parley.NeedHeld, agent, "3 messages are held between planner and "+agent, "", "")
	}
	for i := range f.needs {
		n := &f.needs[i]
		n.Between, n.MessageID = n.IsDebt() || n.Kind == parley.NeedHeld, n.Agent+string(n.Kind)
	}

	s := newScreen(t, f, 160, 40)
	s.shows("! 1 need", "Needs you 1")
	s.press("4")
	s.shows("Needs you 1", "+2 more")
	rows := s.rows()
	if got, want := len(rows), 3; got != want || !strings.Contains(rows[0], "dialog") ||
		!strings.Contains(rows[2], "+2 more") {
		t.Errorf("%d rows, want the dialog, and one row for each kind:\n%s", got, s.text())
	}

	f.needs = f.needs[1:]
	if got := parley.Matters(f.needs); got != 0 {
		t.Errorf("%d matters, want none between agents", got)
	}
}

// All that owe an answer to one message are reminded with one key and one message.
func TestAllDebtorsOfAMessageAreReminded(t *testing.T) {
	for name, err := range map[string]error{
		"Reminded 3 agents.": nil,
		"coder is stopped":   parley.Errorf(parley.AgentUnavailable, "coder is stopped"),
	} {
		f := newFake()
		for _, agent := range []string{"coder", "tester", "reviewer"} {
			f.agent(agent, parley.StateIdle, 0, 0, "")
			f.need(parley.NeedOverdue, agent, "owes you a response", "", "")
		}
		for i := range f.needs {
			f.needs[i].MessageID = "5f0c0002-1111-4111-8111-111111111111"
		}

		s := newScreen(t, f, 160, 40)
		s.press("4")
		if got := len(s.rows()); got != 1 {
			t.Fatalf("%d rows, want 1:\n%s", got, s.text())
		}
		s.shows("also overdue, tester, reviewer: owes you a response")
		f.err = err
		s.press("enter")
		s.shows(name)
		if got := f.steered; len(got) != 1 || len(got[0].Agent) != 3 {
			t.Errorf("%s: reminded are %v, want three with one message", name, got)
		}
	}
}

// Whatever the daemon reports, the bar, the tab and the list have its number.
func TestTheNumberIsTheSameEverywhere(t *testing.T) {
	kinds := parley.NeedKinds()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 38))
		f := newFake()
		names := []string{"coder", "tester", "reviewer"}
		for _, name := range names {
			f.agent(name, parley.StateIdle, 0, 0, "")
		}
		for range r.IntN(10) {
			text := fmt.Sprintf("needs something %d", len(f.needs))
			f.need(kinds[r.IntN(len(kinds))], names[r.IntN(len(names))], text, "", "")
			n := &f.needs[len(f.needs)-1]
			n.MessageID = []string{"", "5f0c0002", "5f0c0003"}[r.IntN(3)]
			n.Between = n.IsDebt() && r.IntN(2) == 0
			same := func(x parley.Need) bool {
				return x.Kind == n.Kind && x.AgentID == n.AgentID && x.MessageID == n.MessageID
			}
			if slices.IndexFunc(f.needs, same) < len(f.needs)-1 {
				f.needs = f.needs[:len(f.needs)-1] // a daemon reports it once
			}
		}
		slices.SortStableFunc(f.needs, func(a, b parley.Need) int {
			if a.Between != b.Between {
				return map[bool]int{true: 1, false: -1}[a.Between]
			}
			return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
		})

		want := parley.Matters(f.needs)
		s := newScreen(t, f, 160, 40)
		s.press("4")
		list := 0
		for _, row := range s.rows() {
			if of := slices.IndexFunc(f.needs,
				func(n parley.Need) bool { return strings.Contains(row, n.Text) }); !f.needs[of].Between {
				list++
			}
		}
		bar, tab := numberIn(`! (\d+) needs? you`, s.text()), numberIn(`Needs you (\d+)`, s.text())
		if bar != want || tab != want || list != want {
			t.Errorf("seed %d: the daemon counts %d, the bar %d, the tab %d, the list %d, of %+v:\n%s",
				seed, want, bar, tab, list, f.needs, s.text())
		}
	}
}

// numberIn returns the number that the first group of a pattern finds in a text, 0 for none.
func numberIn(pattern, text string) int {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

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
