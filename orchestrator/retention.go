package orchestrator

import (
	"context"
	"time"

	"parley/internal/wait"
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
func (s *Settings) retention(now time.Time) store.Retention {
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

// seeClock looks at the newest event before the daemon writes one: the clock may be wrong from the
// start.
func (o *Orchestrator) seeClock(ctx context.Context) error {
	last, err := o.store.Events.List(ctx, store.EventQuery{Last: 1})
	if err == nil && len(last) > 0 {
		o.rooms.clock.look(last[0].Time, timePassed())
	}
	return err
}

// prune removes what is older than the settings say, until ctx ends.
func (o *Orchestrator) prune(ctx context.Context) {
	for next := pruneAfter; wait.Pause(ctx, next) == nil; next = pruneTime {
		if !o.store.Leads() {
			continue
		}
		rest := func() error { return wait.Pause(ctx, pruneRest) }
		now := o.rooms.clock.look(o.now(), timePassed())
		done, err := o.store.Prune(ctx, o.opts.Settings.retention(now), rest)
		if err == nil {
			err = o.Files.pruneFiles(ctx, keptSince(now, o.opts.Settings.KeepFiles), rest)
		}

		if done != (store.Pruned{}) {
			o.log.Info("removed what is old", "events", done.Events, "log_rows", done.Log,
				"steps_of_deliveries", done.Steps, "messages", done.Messages)
		}
		if err != nil && ctx.Err() == nil {
			o.log.Error("remove what is old", "error", err)
		}
	}
}

// pruneFilesBatch is how many files one step removes.
const pruneFilesBatch = 20

// pruneFiles removes files that were sent before a time. The zero time keeps all.
func (fs *fileService) pruneFiles(ctx context.Context, before time.Time, rest func() error) error {
	for !before.IsZero() {
		ids, err := fs.store.FilesBefore(ctx, before, pruneFilesBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		removed, err := fs.store.RemoveFiles(ctx, ids, time.Time{})
		if err == nil {
			err = fs.removeFiles(context.WithoutCancel(ctx), removed)
		}
		if err == nil {
			err = rest()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
