package client

import (
	"context"

	"parley"
)

// terminals is parley.TerminalService.
type terminals struct{ conn *conn }

// LaunchAgent starts a program as an agent.
func (t terminals) LaunchAgent(ctx context.Context, r parley.LaunchAgentRequest) (*parley.LaunchAgentResult, error) {
	return call[parley.LaunchAgentResult](ctx, t.conn, "launch_agent", r)
}

// AdoptAgent makes an agent of a program that runs in another tmux server.
func (t terminals) AdoptAgent(ctx context.Context, r parley.AdoptAgentRequest) (*parley.AdoptAgentResult, error) {
	return call[parley.AdoptAgentResult](ctx, t.conn, "adopt_agent", r)
}

// StopAgent ends an agent's processes.
func (t terminals) StopAgent(ctx context.Context, r parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	return call[parley.StopAgentResult](ctx, t.conn, "stop_agent", r)
}

// RestartAgent stops an agent and launches it again.
func (t terminals) RestartAgent(ctx context.Context, r parley.RestartAgentRequest) (*parley.LaunchAgentResult, error) {
	return call[parley.LaunchAgentResult](ctx, t.conn, "restart_agent", r)
}

// UpdateAgent compares a running agent with what it is to be, and changes it.
func (t terminals) UpdateAgent(ctx context.Context, r parley.UpdateAgentRequest) (*parley.UpdateAgentResult, error) {
	return call[parley.UpdateAgentResult](ctx, t.conn, "update_agent", r)
}

// ReadTerminal returns an agent's screen.
func (t terminals) ReadTerminal(ctx context.Context, r parley.ReadTerminalRequest) (*parley.ReadTerminalResult, error) {
	return call[parley.ReadTerminalResult](ctx, t.conn, "read_terminal", r)
}

// AnswerDialog shows the dialog that is open in an agent's terminal, or answers it.
func (t terminals) AnswerDialog(ctx context.Context, r parley.AnswerDialogRequest) (*parley.AnswerDialogResult, error) {
	return call[parley.AnswerDialogResult](ctx, t.conn, "answer_dialog", r)
}

// TypeInTerminal types into an agent's terminal, as a person.
func (t terminals) TypeInTerminal(
	ctx context.Context, r parley.TypeInTerminalRequest,
) (*parley.TypeInTerminalResult, error) {
	return call[parley.TypeInTerminalResult](ctx, t.conn, "type_in_terminal", r)
}

// GetAttachInfo returns how a person reaches an agent's terminal.
func (t terminals) GetAttachInfo(ctx context.Context, r parley.AttachInfoRequest) (*parley.AttachInfoResult, error) {
	return call[parley.AttachInfoResult](ctx, t.conn, "get_attach_info", r)
}

// ReportState reports what the agent that calls is doing.
func (t terminals) ReportState(ctx context.Context, r parley.ReportStateRequest) (*parley.ReportStateResult, error) {
	return call[parley.ReportStateResult](ctx, t.conn, "report_state", r)
}
