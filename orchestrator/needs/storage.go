package needs

import (
	"context"
	"fmt"

	"parley"
	"parley/orchestrator/trial"
)

// storageNeed is what the operator gives to dismiss what the database lacks.
const storageNeed = string(parley.NeedStorage)

func (ops *Service) dismiss(ctx context.Context, ref string) (int, error) {
	switch ref {
	default:
		return ops.Store.Needs.Dismiss(ctx, ref)
	case string(parley.NeedUndelivered):
		return ops.Losses.dismiss(ctx)
	case trial.UntriedNeed, trial.MisreadNeed:
		return ops.Programs.Dismiss(parley.NeedKind(ref))
	case storageNeed:
	}
	found, err := ops.Store.Workspace.DismissShortfall(ctx)
	if found {
		return 1, err
	}
	return 0, err
}

// storageNeeds tells the operator that the database accepts nothing more, that there is no room for messages or files,
// and what the database lacks.
func (ops *Service) storageNeeds(ctx context.Context) (needs []parley.Need, err error) {
	system := ops.Roster.Operator()
	if err := ops.Store.Workspace.Refusal(); err != nil {
		e, command := parley.AsError(err), "parley doctor --repair"
		if e.Details["host"] != nil { // on a server, which parley does not repair
			command = "parley down --keep-agents"
		}
		needs = append(needs, parley.Need{
			Kind: parley.NeedStorage, AgentID: system.ID, Agent: system.Name, Since: ops.Now(),
			Text: e.Message, Command: command, Action: e.Action,
		})
	}

	for _, err := range []error{ops.Store.Workspace.Full(), ops.Admission.Copies.Files.Refusal()} {
		if err == nil {
			continue
		}
		e := parley.AsError(err)
		needs = append(needs, parley.Need{
			Kind: parley.NeedStorage, AgentID: system.ID, Agent: system.Name, Since: ops.Now(),
			Text: e.Message, Command: "parley doctor", Action: e.Action,
		})
	}

	lacks, err := ops.Store.Workspace.Shortfall(ctx)
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
