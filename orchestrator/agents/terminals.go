package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"parley"
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/answer"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
)

// Terminals does the operations on terminals. A responder has no
// terminal; its screen shows what its model wrote. The first prompt of a launch is a message.
type Terminals struct {
	*relay.Elsewhere
	Terminals  *terminal.Terminals
	Roster     *team.Roster
	Responders *answer.Responders
	Admission  *admission.Admission
	Service    parley.Service // sends first prompts
	Worktrees  *Worktrees
	Sessions   *Sessions
}

// LaunchAgent does op.LaunchAgent. The first prompt is a message of the caller's. A
// text that cannot be sent is refused before anything starts. A resumed program had its prompt already.
func (ts *Terminals) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	res, err := relay.Across(ctx, ts.Elsewhere, req.Host, op.LaunchAgent, req, ts.launch)
	return ts.reachable(req.Host, res), err
}

// reachable lets the command that shows a terminal on another host go there.
func (ts *Terminals) reachable(host string, res *parley.LaunchAgentResult) *parley.LaunchAgentResult {
	if res != nil && host != "" && host != ts.Own {
		res.Host, res.Attach = host, ts.SSHTo(host, res.Attach)
	}
	return res
}

func (ts *Terminals) launch(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	relay.PlaceOn(&req, ts.Worktrees.Workspace)
	if err := ts.Terminals.Enclose(ctx, &req); err != nil {
		return nil, err
	}
	if req.Prompt != "" {
		if _, err := ts.Admission.CleanText(req.Prompt); err != nil {
			return nil, err
		}
	}
	taken, err := ts.Sessions.take(ctx, &req)
	if err != nil {
		return nil, err
	}
	defer taken()

	res, err := ts.start(ctx, req)
	if err != nil && len(req.Ports) > 0 && ts.Roster.ByName(req.Name) == nil {
		err = errors.Join(err, ts.Terminals.Ports.GiveBack(context.WithoutCancel(ctx), req.Name))
	}
	told := err == nil && (res.PromptMessageID != "" ||
		res.Conversation == parley.ConversationResumed && req.Session == "")
	if err != nil || req.Prompt == "" || told {
		return res, err
	}

	sent, err := op.SendMessage.Call(ctx, ts.Service, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: PromptType(ctx),
	})
	if err != nil {
		e := parley.AsError(err)
		return nil, parley.Errorf(e.Code, "%s was launched, but its prompt was not sent: %w", res.Name, err).
			Suggest("Send it: parley send %s TEXT", res.Name)
	}
	res.PromptMessageID = sent.MessageID

	return res, nil
}

// start makes the worktree of a launch, if it asks for one, and starts the program.
func (ts *Terminals) start(ctx context.Context, req parley.LaunchAgentRequest) (*parley.LaunchAgentResult, error) {
	made, err := ts.Worktrees.make(ctx, &req)
	if err != nil {
		return nil, err
	}

	before := ts.Worktrees.of(req.Name)
	launching := ctx
	if made != nil {
		launching = terminal.InWorktree(ctx, &made.Worktree)
	}
	res, err := ts.Terminals.LaunchAgent(launching, req)
	err = ts.Worktrees.settle(ctx, made, res, err)
	if err == nil {
		ts.Worktrees.tellLeft(before, res)
	}
	return res, err
}

// PromptType returns the type of a first prompt. An agent that launches another one wants to hear from it; a person
// sees its screen, and need not be told that no message came.
func PromptType(ctx context.Context) parley.MessageType {
	if parley.CallerFrom(ctx).Operator {
		return parley.TypeInformation
	}
	return parley.TypeRequest
}

// UpdateAgent does op.UpdateAgent. A prompt that differs is a message of the caller's, and
// so is each prompt of a new conversation.
func (ts *Terminals) UpdateAgent(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	host := ts.HostOf(req.Name)
	has, wanted := cmp.Or(host, ts.Own), cmp.Or(req.Host, ts.Own)
	if has != wanted && ts.Roster.ByName(req.Name) != nil {
		return nil, parley.Errorf(parley.AgentExists, "%s is on host %s, and is to be on host %s", req.Name, has,
			wanted).
			With("host", has).
			Suggest("Stop it there first: parley stop %s. Or keep it there, with host: %s in parley.yaml.", req.Name,
				has)
	}

	res, err := relay.Across(ctx, ts.Elsewhere, host, op.UpdateAgent, req, ts.update)
	if err == nil && res.Launched != nil {
		res.Launched = ts.reachable(host, res.Launched)
	}
	return res, err
}

func (ts *Terminals) update(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	relay.PlaceOn(&req.LaunchAgentRequest, ts.Worktrees.Workspace)
	if err := ts.Terminals.Enclose(ctx, &req.LaunchAgentRequest); err != nil {
		return nil, err
	}
	if req.Prompt != "" {
		if _, err := ts.Admission.CleanText(req.Prompt); err != nil {
			return nil, err
		}
	}

	res, err := ts.Terminals.UpdateAgent(ctx, req)
	if err != nil || !res.Changed || req.Prompt == "" || !isToldAgain(res) {
		return res, err
	}
	if l := res.Launched; l != nil && l.PromptMessageID != "" {
		res.PromptMessageID = l.PromptMessageID
		return res, nil
	}

	sent, err := op.SendMessage.Call(ctx, ts.Service, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: PromptType(ctx),
	})
	if err != nil {
		return nil, err
	}
	res.PromptMessageID = sent.MessageID

	m := ts.Roster.ByID(res.AgentID)
	a := m.Agent()
	a.PromptHash = parley.HashPrompt(req.Prompt)

	return res, ts.Roster.Records.SetLabels(ctx, m, a)
}

// ReadTerminal does op.ReadTerminal. A responder has no terminal;
// its screen shows what its model wrote.
func (ts *Terminals) ReadTerminal(
	ctx context.Context, req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	if m, err := ts.Roster.Find(req.Agent); err == nil && m.Agent().Responder != nil {
		return ts.Responders.ReadScreen(m, req.History), nil
	}
	return relay.Across(ctx, ts.Elsewhere, ts.HostOf(req.Agent), op.ReadTerminal, req, ts.Terminals.ReadTerminal)
}

func (ts *Terminals) StopAgent(
	ctx context.Context, req parley.StopAgentRequest,
) (*parley.StopAgentResult, error) {
	return relay.Across(ctx, ts.Elsewhere, ts.HostOf(req.Agent), op.StopAgent, req, ts.Terminals.StopAgent)
}

// RestartAgent does op.RestartAgent. The directory and the variables of the caller are of no use
// on another host.
func (ts *Terminals) RestartAgent(
	ctx context.Context, req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	host := ts.HostOf(req.Agent)
	if host != "" {
		req.Dir, req.Env = "", nil
	}
	res, err := relay.Across(ctx, ts.Elsewhere, host, op.RestartAgent, req, ts.Terminals.RestartAgent)
	return ts.reachable(host, res), err
}

func (ts *Terminals) AnswerDialog(
	ctx context.Context, req parley.AnswerDialogRequest,
) (*parley.AnswerDialogResult, error) {
	return relay.Across(ctx, ts.Elsewhere, ts.HostOf(req.Agent), op.AnswerDialog, req, ts.Terminals.AnswerDialog)
}

// GetAttachInfo does op.GetAttachInfo. The command for a terminal on another host goes there by ssh.
func (ts *Terminals) GetAttachInfo(
	ctx context.Context, req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	host := ts.HostOf(req.Agent)
	res, err := relay.Across(ctx, ts.Elsewhere, host, op.GetAttachInfo, req, ts.Terminals.GetAttachInfo)
	if err == nil && host != "" {
		res.Host, res.Command = host, ts.SSHTo(host, res.Command)
	}
	return res, err
}

// isToldAgain reports whether an agent that was changed gets its prompt.
func isToldAgain(res *parley.UpdateAgentResult) bool {
	if l := res.Launched; l != nil && l.Conversation != parley.ConversationResumed {
		return true
	}
	return slices.ContainsFunc(res.Changes, func(c parley.Change) bool { return c.Means == parley.ByMessage })
}
