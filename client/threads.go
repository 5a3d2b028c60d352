package client

import (
	"context"

	"parley"
)

// CreateThread opens a thread. Post to it with SendMessage and its ThreadID. Without an
// idempotency key it gets one here.
func (c *Client) CreateThread(ctx context.Context, r parley.CreateThreadRequest) (*parley.CreateThreadResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.CreateThreadResult](ctx, c, "create_thread", r)
}

// ListThreads lists threads, the last active first.
func (c *Client) ListThreads(ctx context.Context, r parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	return call[parley.ListThreadsResult](ctx, c, "list_threads", r)
}

// GetThreadDetails describes a thread.
func (c *Client) GetThreadDetails(
	ctx context.Context,
	r parley.ThreadDetailsRequest,
) (*parley.ThreadDetailsResult, error) {
	return call[parley.ThreadDetailsResult](ctx, c, "get_thread_details", r)
}

// JoinThread makes the caller take part in a thread.
func (c *Client) JoinThread(ctx context.Context, r parley.JoinThreadRequest) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, c, "join_thread", r)
}

// AddParticipant makes another agent take part in a thread.
func (c *Client) AddParticipant(ctx context.Context, r parley.AddParticipantRequest) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, c, "add_participant_to_thread", r)
}

// RemoveParticipant removes an agent, or the caller itself, from a thread.
func (c *Client) RemoveParticipant(
	ctx context.Context,
	r parley.RemoveParticipantRequest,
) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, c, "remove_participant_from_thread", r)
}

// GetConversationState says how a conversation goes, and whether to answer in it.
func (c *Client) GetConversationState(
	ctx context.Context,
	r parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	return call[parley.ConversationStateResult](ctx, c, "get_conversation_state", r)
}

// ControlConversation releases, cools, mutes or unmutes a conversation, or changes the
// settings of a thread.
func (c *Client) ControlConversation(
	ctx context.Context,
	r parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	return call[parley.ControlConversationResult](ctx, c, "control_conversation", r)
}
