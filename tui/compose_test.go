package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
)

func TestWritesToTheAgentUnderTheMarker(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		to   string
	}{
		{"the agent", []string{"2", "j", "j", "c"}, agentID("reviewer")},
		{"the sender of a message", []string{"k", "k", "k", "k", "c"}, agentID("scout")},
		{"the recipient of one's own", []string{"k", "k", "c"}, agentID("reviewer")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := newBusyScreen(t, 120, 40)
			s.press(c.keys...)
			s.typed("hello")
			s.press("ctrl+j")
			s.enters("there")
			if len(f.sent) != 1 || f.sent[0].To[0] != c.to || f.sent[0].Text != "hello\nthere" ||
				f.sent[0].InReplyTo != "" {
				t.Errorf("sent %+v, want one to %s", f.sent, c.to)
			}
		})
	}
}

func TestReplyNamesTheMessage(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("k", "k", "k", "r")
	s.shows("Reply to reviewer about “Shall I approve")
	id := s.m.traffic.sel.id
	s.enters("no")
	if len(f.sent) != 1 || f.sent[0].InReplyTo != id || f.sent[0].To[0] != agentID("reviewer") {
		t.Errorf("sent %+v, want a reply to %s", f.sent, id)
	}
}

func TestReceiptFollowsTheDelivery(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("b")
	s.enters("build is green")
	if len(f.casts) != 1 {
		t.Fatalf("broadcasts: %+v, want one", f.casts)
	}

	s.shows("Sent to all agents: ○ 7 queued")
	s.hides("▸ To all agents")
	s.news()
	f.emit(parley.Event{
		Type:      parley.EventDelivery,
		MessageID: s.m.status.receipt.id,
		AgentID:   idOf("coder"),
		State:     "submitted",
	})

	s.news()
	s.shows("Sent to all agents: › 1/7 submitted")
}

func TestFailedSendKeepsTheDraftAndItsKey(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	f.err = parley.Errorf(parley.MessageTooLong, "the text has 2,001 characters").Suggest("Say it in 2,000.")
	s.choose("coder")
	s.press("c")
	s.enters("please rebase")
	s.shows("the text has 2,001 characters", "Say it in 2,000.", "please rebase")
	s.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	s.shows("please rebase", "Say it in 2,000.")
	s.press("enter")
	s.typed(" now")
	f.err = nil
	s.press("enter")
	var keys []string
	for _, r := range f.sent {
		keys = append(keys, r.IdempotencyKey)
	}

	if got, want := strings.Join(keys, " "), "key-1 key-1 key-2"; got != want {
		t.Errorf("keys %q, want %q: the same for the same text, another for another", got, want)
	}

	s.shows("Sent to coder: ✓ submitted")
	s.press("c")
	if got := s.m.compose.text(); got != "" {
		t.Errorf("what was sent is still in the box: %q", got)
	}
}

func TestEachAddressKeepsItsOwnDraft(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.choose("coder")
	s.press("c")
	s.typed("for coder only")
	s.press("esc")
	s.shows("Draft kept.")
	s.press("b")
	s.hides("for coder only")
	s.press("esc", "c")
	s.shows("for coder only")
}

func TestQuitAsksOnceWhenSomethingIsUnsent(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press("b")
	s.typed("half a tho")
	s.press("esc", "q")
	if s.quit {
		t.Fatal("left at once")
	}

	s.shows("Not sent: to all agents. Press the key again to quit anyway.")
	s.press("j", "q")
	if s.quit {
		t.Error("left without asking, though another key came between")
	}

	s.press("q")
	if !s.quit {
		t.Error("did not leave when told twice")
	}
}
