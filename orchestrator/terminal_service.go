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
