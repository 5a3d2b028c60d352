package client

import (
	"context"

	"parley"
)

// conversations is parley.ConversationService.
type conversations struct{ conn *conn }

// GetConversationState returns the state of a conversation, and whether to answer in it.
func (c conversations) GetConversationState(
	ctx context.Context, r parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	return call[parley.ConversationStateResult](ctx, c.conn, "get_conversation_state", r)
}

// ControlConversation releases, cools, mutes or unmutes a conversation, or changes the
// settings of a thread.
func (c conversations) ControlConversation(
	ctx context.Context, r parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	return call[parley.ControlConversationResult](ctx, c.conn, "control_conversation", r)
}
