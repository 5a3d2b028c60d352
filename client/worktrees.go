package client

import (
	"context"

	"parley"
)

// worktrees is parley.WorktreeService.
type worktrees struct{ conn *conn }

// ListWorktrees returns the worktrees of agents.
func (w worktrees) ListWorktrees(ctx context.Context, r parley.WorktreesRequest) (*parley.WorktreesResult, error) {
	return call[parley.WorktreesResult](ctx, w.conn, "list_worktrees", r)
}

// DiffAgent returns what an agent has changed.
func (w worktrees) DiffAgent(ctx context.Context, r parley.DiffAgentRequest) (*parley.DiffAgentResult, error) {
	return call[parley.DiffAgentResult](ctx, w.conn, "diff_agent", r)
}

// ReviewAgent sends comments on what an agent has changed.
func (w worktrees) ReviewAgent(
	ctx context.Context, r parley.ReviewAgentRequest,
) (*parley.SendMessageResult, error) {
	return call[parley.SendMessageResult](ctx, w.conn, "review_agent", r)
}

// PreviewMerge returns what a merge of an agent's branch would do.
func (w worktrees) PreviewMerge(
	ctx context.Context, r parley.PreviewMergeRequest,
) (*parley.PreviewMergeResult, error) {
	return call[parley.PreviewMergeResult](ctx, w.conn, "preview_merge", r)
}

// FinishWorktree stops an agent, and merges or removes its worktree.
func (w worktrees) FinishWorktree(
	ctx context.Context, r parley.FinishWorktreeRequest,
) (*parley.FinishWorktreeResult, error) {
	return call[parley.FinishWorktreeResult](ctx, w.conn, "finish_worktree", r)
}
