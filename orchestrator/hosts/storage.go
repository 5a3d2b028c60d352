package hosts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/wait"
	"parley/orchestrator/settings"
	"parley/store"
)

// What parley does for the safety of the database: copies, checks, and what the
// operator must know of it.

// copyTime is the interval between looks whether a copy is due. A copy of a large database takes seconds, so the next
// look waits copyShare times as long as it took.
const (
	copyTime  = time.Minute
	copyShare = 100
)

// KeepCopies makes the automatic copies of the database, until ctx ends.
func (ws *Service) KeepCopies(ctx context.Context) {
	every := ws.Settings.BackupEvery
	for every > 0 {
		begun := ws.Now()
		due, err := ws.Store.Workspace.CopyDue(ctx, every)
		if err == nil && due {
			err = ws.keepCopy(ctx)
		}
		if err != nil && ctx.Err() == nil {
			ws.Log.Error("keep a copy of the database", "error", err)
		}
		if wait.Pause(ctx, max(copyTime, copyShare*ws.Now().Sub(begun))) != nil {
			return
		}
	}
}

func (ws *Service) keepCopy(ctx context.Context) error {
	c, err := ws.Store.Workspace.KeepCopy(ctx)
	if err == nil {
		ws.Log.Info("kept a copy of the database", "file", c.Path, "bytes", c.Size)
	}
	return err
}

// checkTime is the least interval between two checks of the whole database. A check of a large
// one takes seconds, so the next one waits checkShare times as long as it took. The first comes soon: a database that
// was closed is not checked when it is opened.
const (
	firstCheck = time.Minute
	checkTime  = time.Hour
	checkShare = 200
)

// CheckStorage looks for damage in the database from time to time, until ctx ends. The store
// refuses, and tells the operator, when it finds some.
func (ws *Service) CheckStorage(ctx context.Context) {
	for pause := firstCheck; wait.Pause(ctx, pause) == nil; {
		begun := ws.Now()
		if err := ws.Store.Workspace.Check(ctx); err != nil && ctx.Err() == nil {
			ws.Log.Error("check the database", "error", err)
		}
		pause = nextCheck(ws.Now().Sub(begun))
	}
}

func nextCheck(took time.Duration) time.Duration { return max(checkTime, checkShare*took) }

// storageWarnings tells in the workspace's status what the database lacks.
func (ws *Service) storageWarnings(ctx context.Context) ([]string, error) {
	lacks, err := ws.Store.Workspace.Shortfall(ctx)
	if err != nil || lacks == nil {
		return nil, err
	}
	words := fmt.Sprintf("The database lacks %s that parley had acknowledged. Run parley needs.", lacks.Words())
	return []string{words}, nil
}

// Expire gives up deliveries that waited too long, removes unused files, and records when
// agents and keys were last seen.
// Only the host that leads gives up deliveries.
func (ws *Service) Expire(ctx context.Context) {
	now := ws.clock.look(ws.Now(), timePassed())
	if ws.Store.Hosts.Leads() {
		if _, err := ws.Store.Deliveries.Expire(ctx, now.Add(-ws.Settings.ExpireAfter)); err != nil &&
			ctx.Err() == nil {
			ws.Log.Error("expire deliveries", "error", err)
		}
	}

	ws.Terminals.Sweep()

	err := errors.Join(ws.Store.Agents.TouchAgents(ctx, ws.Roster.TakeSeen()),
		ws.Store.Keys.TouchKeys(ctx, ws.Roster.Keys.TakeUsed()))
	if err != nil && ctx.Err() == nil {
		ws.Log.Error("record when agents and keys were last seen", "error", err)
	}
}

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
		if !ws.Store.Hosts.Leads() {
			continue
		}
		rest := func() error { return wait.Pause(ctx, pruneRest) }
		now := ws.Pruning.look(ws.Now(), timePassed())
		done, err := ws.Store.Workspace.Prune(ctx, retention(ws.Settings, now), rest)
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
