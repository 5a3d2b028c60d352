package orchestrator

import (
	"context"
	"slices"

	"parley"
)

// terminals are the methods of terminal.Terminals that the service has too.
type terminals interface {
	parley.TerminalService

	// Adoptions returns a number that changes whenever processes may have started or stopped
	// belonging to an agent.
	Adoptions() int64
}

// LaunchAgent implements parley.TerminalService. The first prompt is a message of the caller's. A
// text that cannot be sent is refused before anything starts. A resumed program had its prompt already.
func (ts *terminalService) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	if req.Prompt != "" {
		if _, err := ts.messages.admission.cleanText(req.Prompt); err != nil {
			return nil, err
		}
	}

	made, err := ts.worktrees.make(ctx, &req)
	if err != nil {
		return nil, err
	}

	res, err := ts.terminals.LaunchAgent(ctx, req)
	err = ts.worktrees.settle(ctx, made, res, err)
	if err != nil || req.Prompt == "" || res.Conversation == parley.ConversationResumed {
		return res, err
	}

	sent, err := ts.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: parley.TypeRequest,
	})
	if err != nil {
		e := parley.AsError(err)
		return nil, parley.Errorf(e.Code, "%s was launched, but its prompt was not sent: %w", res.Name, err).
			Suggest("Send it: parley send %s TEXT", res.Name)
	}
	res.PromptMessageID = sent.MessageID

	return res, nil
}

// UpdateAgent implements parley.TerminalService. A prompt that differs is a message of the caller's, and
// so is each prompt of a new conversation.
func (ts *terminalService) UpdateAgent(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	if req.Prompt != "" {
		if _, err := ts.messages.admission.cleanText(req.Prompt); err != nil {
			return nil, err
		}
	}

	res, err := ts.terminals.UpdateAgent(ctx, req)
	if err != nil || !res.Changed || req.Prompt == "" || !isToldAgain(res) {
		return res, err
	}

	sent, err := ts.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{res.AgentID}, Text: req.Prompt, Type: parley.TypeRequest,
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

// ReadTerminal implements parley.TerminalService. A responder has no terminal;
// its screen shows what its model wrote.
func (ts *terminalService) ReadTerminal(
	ctx context.Context, req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	if m, err := ts.roster.Find(req.Agent); err == nil && m.Agent().Responder != nil {
		return ts.responders.ReadScreen(m, req.History), nil
	}
	return ts.terminals.ReadTerminal(ctx, req)
}

// isToldAgain reports whether an agent that was changed gets its prompt.
func isToldAgain(res *parley.UpdateAgentResult) bool {
	if l := res.Launched; l != nil && l.Conversation != parley.ConversationResumed {
		return true
	}
	return slices.ContainsFunc(res.Changes, func(c parley.Change) bool { return c.Means == parley.ByMessage })
}
