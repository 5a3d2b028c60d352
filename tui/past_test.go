package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
)

// ListSessions has three conversations, and finds them by what was said first.
func (f *fakeService) ListSessions(
	_ context.Context, r parley.ListSessionsRequest,
) (*parley.ListSessionsResult, error) {
	res := &parley.ListSessionsResult{Answer: parley.OK}
	if r.Query != "" {
		res.Read, res.Of = 2310, 10000
	}
	for _, s := range []parley.KeptSession{
		{Short: "3f0c21aa", Program: "codex", Dir: "/src/shop", First: "mend the flaky parser", Branch: "main"},
		{Short: "77aa0011", Program: "claude", Dir: "/src/shop", First: "why is the parser slow", Agent: "cora"},
		{Short: "90bb1122", Program: "qwen", Dir: "/gone", First: "draw a logo", Refused: "its directory is gone"},
	} {
		if strings.Contains(s.First, r.Query) {
			res.Sessions = append(res.Sessions, s)
		}
	}
	return res, f.err
}

func TestAConversationFromBeforeIsTakenUp(t *testing.T) {
	s, f := newBusyScreen(t, 160, 40, withPrograms)
	s.press("H")
	s.shows("Conversations from before", "mend the flaky parser", "draw a logo")

	for _, no := range []struct{ words, says string }{
		{"slow", "That is the conversation of cora."},
		{"logo", "Cannot be taken up: its directory is gone."},
		{"zebra", "No conversation was found."},
	} {
		s.press("ctrl+u")
		s.typed(no.words)
		s.shows("2310 of 10000 read")
		s.press("enter")
		s.shows(no.says)
	}

	s.press("ctrl+u")
	s.typed("parser")
	s.press("enter")
	s.shows("Launch an agent", "parley launch codex --profile codex --session 3f0c21aa",
		"Runs codex --full in the directory of conversation 3f0c21aa, as codex.")
	s.press("enter")
	want := []parley.LaunchAgentRequest{{Name: "codex", Profile: "codex", Session: "3f0c21aa"}}
	if diff := cmp.Diff(want, f.launched, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
