package orchestrator

import (
	"context"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// inPage is the operator in a session of the page.
func (te *testTeam) inPage() context.Context {
	c := parley.CallerFrom(te.operator())
	c.Session = "parley_session1"
	return parley.WithCaller(te.operator(), c)
}

// Keys that a person types from elsewhere are as those of somebody who is attached: messages wait for them, and none
// stands between them.
func TestMessagesWaitForAPersonInThePage(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Web.Keyboard = true })
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	types := func(text string, keys ...string) {
		t.Helper()
		must.Have(op.TypeInTerminal.Call(te.inPage(), te,
			parley.TypeInTerminalRequest{Agent: "coder", Text: text, Keys: keys}))(t)
	}

	types("half ")
	types("a")
	types(" ")
	types("thoughtX", "BSpace")
	tmuxtest.WaitFor(t, te.pane("coder"), shows("half a thought"))
	id := te.send("coder", "hello")
	te.held(id, "")
	types("", "Enter")
	te.reach(id, parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, log, 2); got[0].Text != "half a thought" ||
		!strings.Contains(got[1].Text, "hello") {
		t.Errorf("the agent got %+v", got)
	}

	records := 0
	for _, e := range must.Have(op.ReadEvents.Call(te.operator(), te,
		parley.ReadEventsRequest{Limit: 1000}))(t).Events {
		if e.Type == parley.EventTyping {
			records++
			if e.Agent != "coder" || !strings.Contains(e.Detail, "parley_session1") {
				t.Errorf("the record is %+v", e)
			}
		}
	}
	if records != 1 {
		t.Errorf("there are %d records of one who types, want 1", records)
	}
}

func TestTerminalsTakeNoKeysUnlessTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	_, err := op.TypeInTerminal.Call(te.inPage(), te, parley.TypeInTerminalRequest{Agent: "coder", Text: "x"})
	if parley.ErrorCode(err) != parley.NotAuthorized ||
		!strings.Contains(parley.AsError(err).Action, "keyboard: true") {
		t.Errorf("got %v", err)
	}
	if must.Have(op.ReadTerminal.Call(te.inPage(), te, parley.ReadTerminalRequest{Agent: "coder"}))(t).Keys {
		t.Error("its terminal says that it takes keys")
	}
}

// Keys of a phone go to the question that was seen: to none, if there was none.
func TestKeysGoToTheDialogThatWasSeen(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Web.Keyboard = true })
	te.launch("asker", "framed", tmuxtest.Agent{Dialog: te.dialog()})
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("asker", parley.StateWaiting)
	te.inState("coder", parley.StateIdle)
	open := must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "asker"}))(t).Dialog.ID

	for _, c := range []struct {
		agent, seen string
		want        parley.Code
	}{
		{"coder", open, parley.DialogChanged},
		{"coder", parley.NoDialog, ""},
		{"coder", "", ""},
		{"asker", parley.NoDialog, parley.DialogChanged},
		{"asker", "00000000", parley.DialogChanged},
		{"asker", open, ""},
	} {
		_, err := op.TypeInTerminal.Call(te.inPage(), te, parley.TypeInTerminalRequest{Agent: c.agent,
			Keys: []string{"Left"}, Dialog: c.seen})
		if parley.ErrorCode(err) != c.want {
			t.Errorf("%s, seen %q: got %v, want %q", c.agent, c.seen, err, c.want)
		}
	}
}
