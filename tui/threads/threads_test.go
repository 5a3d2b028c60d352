package threads

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/tui/kit"
	"parley/tui/room"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestReasonsNameWhoIsToAnswer(t *testing.T) {
	res := &parley.ConversationStateResult{State: "warming", Temperature: 0.3, Decisions: []parley.ConversationDecision{
		{Agent: "planner", Reason: "no-compelling-reason", Confidence: 1, Factors: &parley.ConversationFactors{}},
		{Agent: "coder", ShouldRespond: true, Reason: "direct-question"},
	}}
	got := strings.Join(reasons(res), "\n")
	for _, want := range []string{"warming, 0.30 of 1", "planner stays silent: nothing called for its answer",
		"coder may answer: it was asked"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}

// Posts that are not drawn can be scrolled over.
func TestPostHasTheHeightOfItsLayout(t *testing.T) {
	const n = 60
	texts := []string{"short", "日本語 and words ", "a\u0301\u0302 marks", "averyveryverylongword/with/a/path ", "👍🏽 ",
		"\tx"}
	posts := make([]parley.ContractMessage, n)
	for i := range posts {
		p := &posts[i]
		p.MessageID, p.SenderName = fmt.Sprint(i), "coder"
		p.Content.Text = strings.Repeat(texts[i%len(texts)]+" 日本語 and words\n", i%9)
		p.Timestamp = noon.AddDate(0, 0, (i-n)/7)
		if i%5 == 0 {
			p.SenderName = parley.SystemName
		}
	}

	k := &talk{room: room.NewShared(room.Setup{Theme: kit.ThemeOf(kit.ThemeTerminal, true), Now: noon},
		room.Commands{})}
	k.turnTo("a thread")
	k.renew(posts, n)
	for w := 30; w < 220; w += 7 {
		k.lay(k.posts, k.total, w, time.UTC)
		end := 0
		for i, p := range k.parts {
			if p.top != end {
				t.Fatalf("at %d columns part %d begins at line %d, want %d", w, i, p.top, end)
			}
			if end = p.top + p.height; len(k.part(p, w)) != p.height {
				t.Fatalf("at %d columns part %d has %d lines, want %d: %+v", w, i, len(k.part(p, w)), p.height, p)
			}
		}
		if end != k.lines {
			t.Errorf("at %d columns there are %d lines, want %d", w, k.lines, end)
		}
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	for _, r := range []conversation.Reason{
		conversation.MentionedByAI, conversation.AskedDirectly, conversation.ConversationConcluded,
		conversation.JustSpoke,
		conversation.Dominating, conversation.HumansDisengaged, conversation.TurnTaking,
		conversation.NoCompellingReason,
		conversation.FromHuman, conversation.ProtocolOff, conversation.MutedByOperator, conversation.CooledDown,
		conversation.ChainSpent, conversation.PairSpent, conversation.CycleSpent,
	} {
		if reasonWords[string(r)] == "" {
			t.Errorf("%s has no words", r)
		}
	}
}
