package client

import (
	"context"

	"parley"
)

// agents is parley.AgentService.
type agents struct{ conn *conn }

// RegisterAgent makes a mailbox agent. Use its key in another client.
func (a agents) RegisterAgent(ctx context.Context, r parley.RegisterAgentRequest) (*parley.RegisterAgentResult, error) {
	return call[parley.RegisterAgentResult](ctx, a.conn, "register_agent", r)
}

// GetAgentStatus describes one agent, or all of them.
func (a agents) GetAgentStatus(ctx context.Context, r parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	return call[parley.AgentStatusResult](ctx, a.conn, "get_agent_status", r)
}
