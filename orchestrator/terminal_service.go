package orchestrator

import (
	"context"

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
// text that cannot be sent is refused before anything starts.
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
	if err != nil || req.Prompt == "" {
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
