package parley_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestRootCauseOfAWaitIsSaidInASentence(t *testing.T) {
	now := time.Unix(10_000, 0)
	for _, c := range []struct {
		waiting parley.Waiting
		want    string
	}{
		{parley.Waiting{Ahead: 4, Code: parley.HoldDialog},
			"queued behind 4: coder has had a question open for 20 min"},
		{parley.Waiting{Code: parley.HoldDraft}, "an unsent draft has stood in coder's composer for 20 min"},
		{parley.Waiting{Ahead: 2}, "queued behind 2: coder is getting one now"},
		{parley.Waiting{Ahead: 1, Code: parley.HoldUnreadable, Reason: "its terminal cannot be read: gone"},
			"queued behind 1: coder: its terminal cannot be read: gone"},
		{parley.Waiting{Code: parley.HoldLimit, Until: time.Date(2030, 1, 2, 3, 4, 0, 0, time.Local)},
			"coder has been at its usage limit for 20 min, until 2 Jan 03:04"},
		{parley.Waiting{Code: parley.HoldPaused}, "messages have been paused for 20 min"},
		{parley.Waiting{Code: parley.HoldExited, Agent: "-"}, "its program has been gone for 20 min"},
		{parley.Waiting{Code: parley.HoldStopped, Agent: "-"}, "it has been stopped for 20 min"},
		{parley.Waiting{Code: parley.HoldUnreadable, Reason: "its terminal cannot be read: gone", Agent: "-"},
			"its terminal cannot be read: gone"},
	} {
		c.waiting.Agent, c.waiting.Since = strings.TrimSuffix(cmp.Or(c.waiting.Agent, "coder"),
			"-"), now.Add(-20*time.Minute)
		if got := c.waiting.Sentence(now); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
