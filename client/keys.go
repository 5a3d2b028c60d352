package client

import (
	"context"

	"parley"
)

// keys is parley.RightsService.
type keys struct{ conn *conn }

// IssueKey makes a further API key for an agent.
func (k keys) IssueKey(ctx context.Context, r parley.IssueKeyRequest) (*parley.IssueKeyResult, error) {
	return call[parley.IssueKeyResult](ctx, k.conn, "issue_key", r)
}

// Invite makes a token for registration.
func (k keys) Invite(ctx context.Context, r parley.InviteRequest) (*parley.InviteResult, error) {
	return call[parley.InviteResult](ctx, k.conn, "invite", r)
}

// OpenPage makes a one-time code for the page.
func (k keys) OpenPage(ctx context.Context, r parley.OpenPageRequest) (*parley.OpenPageResult, error) {
	return call[parley.OpenPageResult](ctx, k.conn, "open_page", r)
}

// RotateKey makes a new API key for an agent and ends all its others.
func (k keys) RotateKey(ctx context.Context, r parley.RotateKeyRequest) (*parley.IssueKeyResult, error) {
	return call[parley.IssueKeyResult](ctx, k.conn, "rotate_key", r)
}

// RevokeKey ends one API key, or all of an agent's.
func (k keys) RevokeKey(ctx context.Context, r parley.RevokeKeyRequest) (*parley.RevokeKeyResult, error) {
	return call[parley.RevokeKeyResult](ctx, k.conn, "revoke_key", r)
}

// ListKeys lists the valid API keys.
func (k keys) ListKeys(ctx context.Context, r parley.ListKeysRequest) (*parley.ListKeysResult, error) {
	return call[parley.ListKeysResult](ctx, k.conn, "list_keys", r)
}

// ApproveAgent accepts or declines an agent's request to be special.
func (k keys) ApproveAgent(ctx context.Context, r parley.ApproveAgentRequest) (*parley.ApproveAgentResult, error) {
	return call[parley.ApproveAgentResult](ctx, k.conn, "approve_agent", r)
}
