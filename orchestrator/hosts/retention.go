package hosts

import (
	"context"
	"time"

	"parley/internal/wait"
	"parley/orchestrator/settings"
	"parley/store"
)

// Old things are removed pruneAfter after the start, and then every pruneTime. Between two
// small steps it rests for pruneRest, so that a send never waits long.
const (
	pruneAfter = 10 * time.Minute
	pruneTime  = 6 * time.Hour
	pruneRest  = 100 * time.Millisecond
)

// retention returns from when on things are kept.
func retention(s *settings.Settings, now time.Time) store.Retention {
	return store.Retention{
		Events:   keptSince(now, s.KeepEvents),
		Log:      keptSince(now, s.KeepLog),
		Steps:    keptSince(now, s.KeepSteps),
		Messages: keptSince(now, s.KeepMessages),
	}
}

// keptSince returns the time before which something is not kept, the zero time for none.
func keptSince(now time.Time, keep time.Duration) time.Time {
	if keep == 0 {
		return time.Time{}
	}
	return now.Add(-keep)
}

// Prune removes what is older than the settings say, until ctx ends.
func (ws *Service) Prune(ctx context.Context) {
	for next := pruneAfter; wait.Pause(ctx, next) == nil; next = pruneTime {
		if !ws.Store.Leads() {
			continue
		}
		rest := func() error { return wait.Pause(ctx, pruneRest) }
		now := ws.Pruning.look(ws.Now(), timePassed())
		done, err := ws.Store.Prune(ctx, retention(ws.Settings, now), rest)
		if err == nil {
			err = ws.Files.Prune(ctx, keptSince(now, ws.Settings.KeepFiles), rest)
		}

		if done != (store.Pruned{}) {
			ws.Log.Info("removed what is old", "events", done.Events, "log_rows", done.Log,
				"steps_of_deliveries", done.Steps, "messages", done.Messages)
		}
		if err != nil && ctx.Err() == nil {
			ws.Log.Error("remove what is old", "error", err)
		}
	}
}
