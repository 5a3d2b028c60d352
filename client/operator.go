package client

import (
	"context"

	"parley"
)

// operator is parley.OperatorService.
type operator struct{ conn *conn }

// RetryDelivery types a message again where it failed or was not confirmed.
func (o operator) RetryDelivery(
	ctx context.Context, r parley.RetryDeliveryRequest,
) (*parley.RetryDeliveryResult, error) {
	return call[parley.RetryDeliveryResult](ctx, o.conn, "retry_delivery", r)
}

// ExplainMessage returns a message's story in plain words.
func (o operator) ExplainMessage(
	ctx context.Context, r parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	return call[parley.ExplainMessageResult](ctx, o.conn, "explain_message", r)
}

// ExportMessages reads whole messages, page by page.
func (o operator) ExportMessages(
	ctx context.Context, r parley.ExportMessagesRequest,
) (*parley.ExportMessagesResult, error) {
	return call[parley.ExportMessagesResult](ctx, o.conn, "export_messages", r)
}

// SteerAgent gives an agent guidance, once, as SendMessage does.
func (o operator) SteerAgent(ctx context.Context, r parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	return call[parley.SendMessageResult](ctx, o.conn, "steer_agent", r)
}

// GetNeeds lists what waits for the operator.
func (o operator) GetNeeds(ctx context.Context, r parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	return call[parley.GetNeedsResult](ctx, o.conn, "get_needs", r)
}

// PauseCommunication stops all messages, or lets them continue.
func (o operator) PauseCommunication(
	ctx context.Context, r parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	return call[parley.PauseCommunicationResult](ctx, o.conn, "pause_communication", r)
}
