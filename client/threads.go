package client

import (
	"context"

	"parley"
)

// threads is parley.ThreadService.
type threads struct{ conn *conn }

// CreateThread opens a thread, once, as SendMessage does. Post to it with SendMessage and
// its ThreadID.
func (t threads) CreateThread(ctx context.Context, r parley.CreateThreadRequest) (*parley.CreateThreadResult, error) {
	return call[parley.CreateThreadResult](ctx, t.conn, "create_thread", r)
}

// ListThreads lists threads, the last active first.
func (t threads) ListThreads(ctx context.Context, r parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	return call[parley.ListThreadsResult](ctx, t.conn, "list_threads", r)
}

// GetThreadDetails describes a thread.
func (t threads) GetThreadDetails(
	ctx context.Context, r parley.ThreadDetailsRequest,
) (*parley.ThreadDetailsResult, error) {
	return call[parley.ThreadDetailsResult](ctx, t.conn, "get_thread_details", r)
}

// JoinThread adds the caller to a thread.
func (t threads) JoinThread(ctx context.Context, r parley.JoinThreadRequest) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, t.conn, "join_thread", r)
}

// AddParticipant adds another agent to a thread.
func (t threads) AddParticipant(ctx context.Context, r parley.AddParticipantRequest) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, t.conn, "add_participant_to_thread", r)
}

// RemoveParticipant removes an agent, or the caller itself, from a thread.
func (t threads) RemoveParticipant(
	ctx context.Context, r parley.RemoveParticipantRequest,
) (*parley.MembershipResult, error) {
	return call[parley.MembershipResult](ctx, t.conn, "remove_participant_from_thread", r)
}
