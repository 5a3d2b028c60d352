package orchestrator

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/trial"
)

// What the orchestrator does for the safety of the database: copies, checks, and what the
// operator must know of it.

// copyTime is the interval between looks whether a copy is due. A copy of a large database takes seconds, so the next
// look waits copyShare times as long as it took.
const (
	copyTime  = time.Minute
	copyShare = 100
)

// keepCopies makes the automatic copies of the database, until ctx ends.
func (o *Orchestrator) keepCopies(ctx context.Context) {
	every := o.opts.Settings.BackupEvery
	for every > 0 {
		begun := o.now()
		due, err := o.store.CopyDue(ctx, every)
		if err == nil && due {
			err = o.keepCopy(ctx)
		}
		if err != nil && ctx.Err() == nil {
			o.log.Error("keep a copy of the database", "error", err)
		}
		if wait.Pause(ctx, max(copyTime, copyShare*o.now().Sub(begun))) != nil {
			return
		}
	}
}

func (o *Orchestrator) keepCopy(ctx context.Context) error {
	c, err := o.store.KeepCopy(ctx)
	if err == nil {
		o.log.Info("kept a copy of the database", "file", c.Path, "bytes", c.Size)
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

// checkStorage looks for damage in the database from time to time, until ctx ends. The store
// refuses, and tells the operator, when it finds some.
func (o *Orchestrator) checkStorage(ctx context.Context) {
	for pause := firstCheck; wait.Pause(ctx, pause) == nil; {
		begun := o.now()
		if err := o.store.Check(ctx); err != nil && ctx.Err() == nil {
			o.log.Error("check the database", "error", err)
		}
		pause = nextCheck(o.now().Sub(begun))
	}
}

// nextCheck returns the time from the end of a check to the next one.
func nextCheck(took time.Duration) time.Duration { return max(checkTime, checkShare*took) }

// storageNeed is what the operator gives to dismiss what the database lacks.
const storageNeed = string(parley.NeedStorage)

func (ops *operatorService) dismiss(ctx context.Context, ref string) (int, error) {
	switch ref {
	default:
		return ops.store.Dismiss(ctx, ref)
	case string(parley.NeedUndelivered):
		return ops.losses.dismiss(ctx)
	case trial.UntriedNeed, trial.MisreadNeed:
		return ops.programs.Dismiss(parley.NeedKind(ref))
	case storageNeed:
	}
	found, err := ops.store.DismissShortfall(ctx)
	if found {
		return 1, err
	}
	return 0, err
}

// storageNeeds tells the operator that the database accepts nothing more, that there is no room for messages or files,
// and what the database lacks.
func (ops *operatorService) storageNeeds(ctx context.Context) (needs []parley.Need, err error) {
	system := ops.roster.Operator()
	if err := ops.store.Refusal(); err != nil {
		e, command := parley.AsError(err), "parley doctor --repair"
		if e.Details["host"] != nil { // on a server, which parley does not repair
			command = "parley down --keep-agents"
		}
		needs = append(needs, parley.Need{
			Kind: parley.NeedStorage, AgentID: system.ID, Agent: system.Name, Since: ops.now(),
			Text: e.Message, Command: command, Action: e.Action,
		})
	}

	for _, err := range []error{ops.store.Full(), ops.admission.files.Refusal()} {
		if err == nil {
			continue
		}
		e := parley.AsError(err)
		needs = append(needs, parley.Need{
			Kind: parley.NeedStorage, AgentID: system.ID, Agent: system.Name, Since: ops.now(),
			Text: e.Message, Command: "parley doctor", Action: e.Action,
		})
	}

	lacks, err := ops.store.Shortfall(ctx)
	if err != nil || lacks == nil {
		return needs, err
	}

	return append(needs, parley.Need{
		Kind: parley.NeedStorage, AgentID: system.ID, Agent: system.Name, Since: lacks.Since,
		Text:    fmt.Sprintf("the database lacks %s that parley had acknowledged", lacks.Words()),
		Command: "parley log",
		Action: "It was damaged, or replaced by an older copy. Ask the agents what they sent and got since, and " +
			"retry what is unconfirmed. Then: parley needs --dismiss " + storageNeed + ".",
	}), nil
}

// storageWarnings tells in the workspace's status what the database lacks.
func (ws *workspaceService) storageWarnings(ctx context.Context) ([]string, error) {
	lacks, err := ws.store.Shortfall(ctx)
	if err != nil || lacks == nil {
		return nil, err
	}
	words := fmt.Sprintf("The database lacks %s that parley had acknowledged. Run parley needs.", lacks.Words())
	return []string{words}, nil
}
