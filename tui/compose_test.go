package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

func TestReplyNamesTheMessage(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("k", "k", "k", "r")
	s.shows("Reply to reviewer about “Shall I approve")
	id := s.m.traffic.Records.Shown.Sel.ID
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
		Type:        parley.EventDelivery,
		MessageID:   s.m.room.Status.Receipt.ID,
		RecipientID: idOf("coder"),
		State:       "submitted",
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
	if got := s.box(); got != "" {
		t.Errorf("what was sent is still in the box: %q", got)
	}
}

// heldBack keeps what commands answer until it is let through, as a slow daemon does.
func (s *stage) heldBack() (letThrough func()) {
	call := s.m.room.Do.Call
	var waiting []tea.Cmd
	s.m.room.Do.Call = func(r room.Request) tea.Cmd {
		waiting = append(waiting, call(r))
		return nil
	}

	return func() {
		s.m.room.Do.Call = call
		for _, cmd := range waiting {
			s.run(cmd, 0)
		}
		waiting = nil
	}
}

func TestKeysWorkWhileAMessageIsSent(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	letThrough := s.heldBack()
	s.press("b")
	s.enters("first")
	s.shows("Sending to all agents…")
	s.press("2")
	s.shows("▸2 Agents")
	s.press("b")
	s.enters("second")
	s.press("b")
	s.typed("third")
	s.shows("third")
	s.hides("second")

	letThrough()
	var texts []string
	for _, r := range f.casts {
		texts = append(texts, r.Text)
	}
	if got := strings.Join(texts, " "); got != "first second" {
		t.Errorf("sent %q, want first second", got)
	}
	if got := s.box(); got != "third" {
		t.Errorf("the box has %q, want third", got)
	}
}

func TestQuitNamesWhatIsNotSentYet(t *testing.T) {
	s, _ := newBusyScreen(t, 120, 40)
	letThrough := s.heldBack()
	s.press("b")
	s.enters("first")
	s.press("q")
	s.shows("Not sent: to all agents.")
	letThrough()
	s.press("2", "q")
	if !s.quit {
		t.Error("it does not quit although all was sent")
	}
}

// A failure comes when the person has gone on: their keys must not get into the box again.
func TestFailedSendOpensNothingUnderTheHands(t *testing.T) {
	tests := []struct{ name, keys, want, kept string }{
		{"nothing since", "", "first", ""},
		{"another screen", "2", "", "first"},
		{"more for the same", "b second", "first\nsecond", ""},
		{"more for the same, and away", "b second esc", "", "first\nsecond"},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, f := newBusyScreen(t, 120, 40)
			letThrough := s.heldBack()
			s.press("b")
			s.enters("first")
			for word := range strings.FieldsSeq(test.keys) {
				if word == "second" {
					s.typed(word)
					continue
				}
				s.press(word)
			}

			f.err = parley.Errorf(parley.RateLimited, "too many messages").Suggest("Wait.")
			letThrough()
			s.shows("too many messages")
			if s.m.compose.Open != (test.want != "") || test.want != "" && s.box() != test.want {
				t.Errorf("the box is open: %v, with %q", s.m.compose.Open, s.box())
			}
			if got := s.m.room.Drafts.Kept[room.Address{Everyone: true}].Text; test.kept != "" && got != test.kept {
				t.Errorf("kept %q, want %q", got, test.kept)
			}
		})
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

func TestARefusedDraftTakesNoWordsForOthers(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	letThrough := s.heldBack()
	s.press("w")
	s.typed("coder")
	s.press("enter")
	s.enters("rebase please")

	s.press("w")
	s.typed("reviewer")
	s.press("enter")
	s.typed("look at the branch")
	f.err = parley.Errorf(parley.RateLimited, "too many messages").Suggest("Wait.")
	letThrough()

	f.err, f.sent = nil, nil
	s.press("enter")
	if len(f.sent) != 1 || f.sent[0].To[0] != agentID("reviewer") || f.sent[0].Text != "look at the branch" {
		t.Errorf("sent %+v", f.sent)
	}
}

// The daemon knows the groups, and refuses the whole message when it does not know one.
func TestAnUnknownGroupIsNotLeftOut(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("w")
	s.typed("@buidlers, reviewer")
	s.press("enter")
	s.enters("stop pushing to main")
	if len(f.sent) != 1 || !slices.Equal(f.sent[0].To, parley.Names{"@buidlers", agentID("reviewer")}) {
		t.Errorf("sent %+v", f.sent)
	}
}
