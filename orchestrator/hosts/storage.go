package hosts

import (
	"context"
	"fmt"
	"time"

	"parley/internal/wait"
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
		due, err := ws.Store.CopyDue(ctx, every)
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
	c, err := ws.Store.KeepCopy(ctx)
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
		if err := ws.Store.Check(ctx); err != nil && ctx.Err() == nil {
			ws.Log.Error("check the database", "error", err)
		}
		pause = nextCheck(ws.Now().Sub(begun))
	}
}

// nextCheck returns the time from the end of a check to the next one.
func nextCheck(took time.Duration) time.Duration { return max(checkTime, checkShare*took) }

// storageWarnings tells in the workspace's status what the database lacks.
func (ws *Service) storageWarnings(ctx context.Context) ([]string, error) {
	lacks, err := ws.Store.Shortfall(ctx)
	if err != nil || lacks == nil {
		return nil, err
	}
	words := fmt.Sprintf("The database lacks %s that parley had acknowledged. Run parley needs.", lacks.Words())
	return []string{words}, nil
}
