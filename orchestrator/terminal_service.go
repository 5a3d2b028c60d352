package orchestrator

import (
	"context"

	"parley"
)

// LaunchAgent implements parley.TerminalService.
func (ts *terminalService) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	return ts.terminals.LaunchAgent(ctx, req)
}

// AdoptAgent implements parley.TerminalService.
func (ts *terminalService) AdoptAgent(
	ctx context.Context, req parley.AdoptAgentRequest,
) (*parley.AdoptAgentResult, error) {
	return ts.terminals.AdoptAgent(ctx, req)
}

// StopAgent implements parley.TerminalService.
func (ts *terminalService) StopAgent(
	ctx context.Context, req parley.StopAgentRequest,
) (*parley.StopAgentResult, error) {
	return ts.terminals.StopAgent(ctx, req)
}

// RestartAgent implements parley.TerminalService.
func (ts *terminalService) RestartAgent(
	ctx context.Context, req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	return ts.terminals.RestartAgent(ctx, req)
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

// GetAttachInfo implements parley.TerminalService.
func (ts *terminalService) GetAttachInfo(
	ctx context.Context, req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	return ts.terminals.GetAttachInfo(ctx, req)
}

// ReportState implements parley.TerminalService.
func (ts *terminalService) ReportState(
	ctx context.Context, req parley.ReportStateRequest,
) (*parley.ReportStateResult, error) {
	return ts.terminals.ReportState(ctx, req)
}

// Adoptions returns a number that changes whenever processes may have started or stopped
// belonging to an agent.
func (ts *terminalService) Adoptions() int64 { return ts.terminals.Adoptions() }
