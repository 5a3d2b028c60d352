package needs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/notify"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/tmux"
)

// System is what parley works with.
type System struct {
	Info      *parley.WorkspaceStatusResult // facts about the daemon
	Wrong     []parley.Need                 // what it found out of order at its start: Text, Command and Action
	Keeps     bool                          // the tmux server was started with a keeper
	Roster    *team.Roster
	Terminals *terminal.Terminals
	Now       func() time.Time
}

// startNeeds tells that somebody else started the daemon, and what it did not take from them.
func (sys *System) startNeeds() []parley.Need {
	info := sys.Info
	if len(info.Ignored) == 0 {
		return nil
	}

	system := sys.Roster.Operator()
	return []parley.Need{{
		Kind: parley.NeedStart, AgentID: system.ID, Agent: system.Name, Since: info.StartedAt,
		Text: "an agent, or something that parley cannot tell from one, started the daemon; parley ignores its " +
			strings.Join(info.Ignored, ", "),
		Command: "parley down --keep-agents",
		Action:  "Start it yourself then: parley serve. The agents stay.",
	}}
}

// needs tells what parley works with and is out of order.
func (sys *System) needs() (needs []parley.Need) {
	needs = slices.Clone(sys.Wrong)
	own := sys.Terminals.Server().PID()
	if sys.Keeps && own != 0 && !tmux.Kept(own) {
		needs = append(needs, parley.Need{
			Text: "the keeper of parley's tmux server has ended: " +
				"what loses its parent there counts as yours, not as an agent's",
			Command: "parley down",
			Action:  "When the agents can be stopped; the next command starts the server with a keeper.",
		})
	}

	if path := sys.Terminals.Server().SocketPath(); own != 0 && !tmux.HasSocket(path) {
		needs = append(needs, parley.Need{
			Text:    "the socket of parley's tmux server is gone, so you cannot attach: " + plain.CleanLine(path),
			Command: "parley doctor",
			Action:  "parley has the server make it again each second. If that does not help: " + terminal.SocketAdvice,
			Since:   sys.Now(),
		})
	}

	system := sys.Roster.Operator()
	for i := range needs {
		n := &needs[i]
		n.Kind, n.AgentID, n.Agent = parley.NeedSystem, system.ID, system.Name
		if n.Since.IsZero() {
			n.Since = sys.Info.StartedAt
		}
	}
	return needs
}

// notifierNeeds tells of each way by which notices do not go.
func (ops *Service) notifierNeeds() (needs []parley.Need) {
	system := ops.Roster.Operator()
	for _, w := range ops.Away.Ways() {
		action := "Correct notify: in parley.yaml, or what it names, and try again."
		if w.Way == notify.Push {
			action = "Let the daemon reach the browser's push service, or turn it off in the menu of the page."
		}
		if !w.Works {
			needs = append(needs, parley.Need{
				Kind: parley.NeedNotifier, AgentID: system.ID, Agent: system.Name, Since: *w.Since,
				Text:    fmt.Sprintf("you are not notified by the %s: %s", w.Way, w.Problem),
				Command: "parley notify test",
				Action:  action,
			})
		}
	}
	return needs
}

// storageNeed is what the operator gives to dismiss what the database lacks.
const storageNeed = string(parley.NeedStorage)

func (ops *Service) dismiss(ctx context.Context, ref string) (int, error) {
	switch ref {
	default:
		return ops.Store.Needs.Dismiss(ctx, ref)
	case string(parley.NeedUndelivered):
		return ops.Losses.dismiss(ctx)
	case string(parley.NeedUntried), string(parley.NeedMisread):
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
