package terminal

import (
	"testing"

	"parley"
)

func TestBarSaysStateAndWhatWaits(t *testing.T) {
	for _, test := range []struct {
		state  parley.AgentState
		queued int
		want   string
	}{
		{parley.StateIdle, 0, "idle"},
		{parley.StateBusy, 1, "busy, 1 message waits"},
		{parley.StateWaiting, 2, "waiting for your answer, 2 messages wait"},
	} {
		if got := bar(test.state, test.queued); got != test.want {
			t.Errorf("%s with %d: got %q, want %q", test.state, test.queued, got, test.want)
		}
	}
}
