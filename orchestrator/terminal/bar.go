package terminal

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// showBars brings the status lines up to date that somebody sees now: the agent's state, and what
// waits for its terminal. Where nobody is attached nothing is set, since tmux draws every attached
// terminal again after each option.
func (w *watcher) showBars(ctx context.Context, members map[*team.Member]*team.Terminal) {
	var counts map[string]store.AgentCounts
	for m, t := range members {
		if t == nil || t.Info.Attached == 0 || t.Info.Dead {
			continue
		}

		if counts == nil {
			var err error
			if counts, err = w.ts.store.Inbox.Counts(ctx); err != nil {
				return // the next look tries again, and others say what is wrong with the database
			}
		}

		text := bar(m.Agent().State, counts[m.ID].Queued)
		if text != t.Bar && t.Pane.SetBar(ctx, text) == nil {
			t.Bar = text
		}
	}
}

// bar returns what the status line says behind an agent's name.
func bar(state parley.AgentState, queued int) string {
	words := []string{string(state)}
	if state == parley.StateWaiting {
		words[0] = "waiting for your answer"
	}

	switch {
	case queued == 1:
		words = append(words, "1 message waits")
	case queued > 1:
		words = append(words, fmt.Sprintf("%d messages wait", queued))
	}

	return strings.Join(words, ", ")
}
