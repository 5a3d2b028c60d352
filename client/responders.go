package client

import (
	"context"

	"parley"
)

// responders is parley.ResponderService.
type responders struct{ conn *conn }

// AddResponder makes or changes an agent for which a model answers.
func (s responders) AddResponder(
	ctx context.Context, r parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	return call[parley.AddResponderResult](ctx, s.conn, "add_responder", r)
}

// ListResponders lists the agents for which a model answers.
func (s responders) ListResponders(
	ctx context.Context, r parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return call[parley.ListRespondersResult](ctx, s.conn, "list_responders", r)
}

// Usage returns what the models' answers took.
func (s responders) Usage(ctx context.Context, r parley.UsageRequest) (*parley.UsageResult, error) {
	return call[parley.UsageResult](ctx, s.conn, "usage", r)
}
