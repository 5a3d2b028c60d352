package orchestrator

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/op"
	"parley/orchestrator/answer"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
)

// terminalService does the operations on terminals. A responder has no
// terminal; its screen shows what its model wrote. The first prompt of a launch is a message.
type terminalService struct {
	*elsewhere
	terminals  *terminal.Terminals
	roster     *team.Roster
	responders *answer.Responders
	messages   *messageService
	worktrees  *worktreeService
}

// LaunchAgent does op.LaunchAgent. The first prompt is a message of the caller's. A
// text that cannot be sent is refused before anything starts. A resumed program had its prompt already.
func (ts *terminalService) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	res, err := across(ctx, ts.elsewhere, req.Host, op.LaunchAgent, req, ts.launch)
	return ts.reachable(req.Host, res), err
}

// reachable lets the command that shows a terminal on another host go there.
func (ts *terminalService) reachable(host string, res *parley.LaunchAgentResult) *parley.LaunchAgentResult {
	if res != nil && host != "" && host != ts.own {
		res.Host, res.Attach = host, ts.sshTo(host, res.Attach)
	}
	return res
}

func (ts *terminalService) launch(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	placeOn(&req, ts.worktrees.workspace)
	if err := ts.terminals.Enclose(ctx, &req); err != nil {
		return nil, err
	}
	if req.Prompt != "" {
		if _, err := ts.messages.admission.cleanText(req.Prompt); err != nil {
			return nil, err
		}
	}

	made, err := ts.worktrees.make(ctx, &req)
	if err != nil {
		return nil, err
	}

	before := ts.worktrees.of(req.Name)
	launching := ctx
	if made != nil {
		launching = terminal.InWorktree(ctx, &made.Worktree)
	}
	res, err := ts.terminals.LaunchAgent(launching, req)
	err = ts.worktrees.settle(ctx, made, res, err)
	if err == nil {
		ts.worktrees.tellLeft(before, res)
	}
	told := err == nil && (res.PromptMessageID != "" || res.Conversation == parley.ConversationResumed)
	if err != nil || req.Prompt == "" || told {
		return res, err
	}

	sent, err := ts.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: promptType(ctx),
	})
	if err != nil {
		e := parley.AsError(err)
		return nil, parley.Errorf(e.Code, "%s was launched, but its prompt was not sent: %w", res.Name, err).
			Suggest("Send it: parley send %s TEXT", res.Name)
	}
	res.PromptMessageID = sent.MessageID

	return res, nil
}

// promptType returns the type of a first prompt. An agent that launches another one wants to hear from it; a person
// sees its screen, and need not be told that no message came.
func promptType(ctx context.Context) parley.MessageType {
	if parley.CallerFrom(ctx).Operator {
		return parley.TypeInformation
	}
	return parley.TypeRequest
}

// UpdateAgent does op.UpdateAgent. A prompt that differs is a message of the caller's, and
// so is each prompt of a new conversation.
func (ts *terminalService) UpdateAgent(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	host := ts.hostOf(req.Name)
	has, wanted := cmp.Or(host, ts.own), cmp.Or(req.Host, ts.own)
	if has != wanted && ts.roster.ByName(req.Name) != nil {
		return nil, parley.Errorf(parley.AgentExists, "%s is on host %s, and is to be on host %s", req.Name, has,
			wanted).
			With("host", has).
			Suggest("Stop it there first: parley stop %s. Or keep it there, with host: %s in parley.yaml.", req.Name,
				has)
	}

	res, err := across(ctx, ts.elsewhere, host, op.UpdateAgent, req, ts.update)
	if err == nil && res.Launched != nil {
		res.Launched = ts.reachable(host, res.Launched)
	}
	return res, err
}

func (ts *terminalService) update(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	placeOn(&req.LaunchAgentRequest, ts.worktrees.workspace)
	if err := ts.terminals.Enclose(ctx, &req.LaunchAgentRequest); err != nil {
		return nil, err
	}
	if req.Prompt != "" {
		if _, err := ts.messages.admission.cleanText(req.Prompt); err != nil {
			return nil, err
		}
	}

	res, err := ts.terminals.UpdateAgent(ctx, req)
	if err != nil || !res.Changed || req.Prompt == "" || !isToldAgain(res) {
		return res, err
	}
	if l := res.Launched; l != nil && l.PromptMessageID != "" {
		res.PromptMessageID = l.PromptMessageID
		return res, nil
	}

	sent, err := ts.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: promptType(ctx),
	})
	if err != nil {
		return nil, err
	}
	res.PromptMessageID = sent.MessageID

	m := ts.roster.ByID(res.AgentID)
	a := m.Agent()
	a.PromptHash = parley.HashPrompt(req.Prompt)

	return res, ts.roster.SetLabels(ctx, m, a)
}

// ReadTerminal does op.ReadTerminal. A responder has no terminal;
// its screen shows what its model wrote.
func (ts *terminalService) ReadTerminal(
	ctx context.Context, req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	if m, err := ts.roster.Find(req.Agent); err == nil && m.Agent().Responder != nil {
		return ts.responders.ReadScreen(m, req.History), nil
	}
	return across(ctx, ts.elsewhere, ts.hostOf(req.Agent), op.ReadTerminal, req, ts.terminals.ReadTerminal)
}

// StopAgent does op.StopAgent.
func (ts *terminalService) StopAgent(
	ctx context.Context, req parley.StopAgentRequest,
) (*parley.StopAgentResult, error) {
	return across(ctx, ts.elsewhere, ts.hostOf(req.Agent), op.StopAgent, req, ts.terminals.StopAgent)
}

// RestartAgent does op.RestartAgent. The directory and the variables of the caller are of no use
// on another host.
func (ts *terminalService) RestartAgent(
	ctx context.Context, req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	host := ts.hostOf(req.Agent)
	if host != "" {
		req.Dir, req.Env = "", nil
	}
	res, err := across(ctx, ts.elsewhere, host, op.RestartAgent, req, ts.terminals.RestartAgent)
	return ts.reachable(host, res), err
}

// AnswerDialog does op.AnswerDialog.
func (ts *terminalService) AnswerDialog(
	ctx context.Context, req parley.AnswerDialogRequest,
) (*parley.AnswerDialogResult, error) {
	return across(ctx, ts.elsewhere, ts.hostOf(req.Agent), op.AnswerDialog, req, ts.terminals.AnswerDialog)
}

// GetAttachInfo does op.GetAttachInfo. The command for a terminal on another host goes there by ssh.
func (ts *terminalService) GetAttachInfo(
	ctx context.Context, req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	host := ts.hostOf(req.Agent)
	res, err := across(ctx, ts.elsewhere, host, op.GetAttachInfo, req, ts.terminals.GetAttachInfo)
	if err == nil && host != "" {
		res.Host, res.Command = host, ts.sshTo(host, res.Command)
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
