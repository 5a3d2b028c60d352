package orchestrator

import (
	"context"

	"parley"
)

// LaunchAgent implements parley.TerminalService.
func (o *Orchestrator) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	return o.terminals.LaunchAgent(ctx, req)
}

// AdoptAgent implements parley.TerminalService.
func (o *Orchestrator) AdoptAgent(ctx context.Context, req parley.AdoptAgentRequest) (*parley.AdoptAgentResult, error) {
	return o.terminals.AdoptAgent(ctx, req)
}

// StopAgent implements parley.TerminalService.
func (o *Orchestrator) StopAgent(ctx context.Context, req parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	return o.terminals.StopAgent(ctx, req)
}

// RestartAgent implements parley.TerminalService.
func (o *Orchestrator) RestartAgent(
	ctx context.Context, req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	return o.terminals.RestartAgent(ctx, req)
}

// ReadTerminal implements parley.TerminalService. A responder has no terminal, but what
// its model wrote.
func (o *Orchestrator) ReadTerminal(
	ctx context.Context, req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	if m, err := o.roster.Find(req.Agent); err == nil && m.Agent().Responder != nil {
		return o.responders.ReadScreen(m, req.History), nil
	}
	return o.terminals.ReadTerminal(ctx, req)
}

// GetAttachInfo implements parley.TerminalService.
func (o *Orchestrator) GetAttachInfo(
	ctx context.Context, req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	return o.terminals.GetAttachInfo(ctx, req)
}

// ReportState implements parley.TerminalService.
func (o *Orchestrator) ReportState(
	ctx context.Context, req parley.ReportStateRequest,
) (*parley.ReportStateResult, error) {
	return o.terminals.ReportState(ctx, req)
}

// Adoptions changes whenever the processes that belong to agents may have.
func (o *Orchestrator) Adoptions() int64 { return o.terminals.Adoptions() }
