package orchestrator

import (
	"context"

	"parley"
	"parley/internal/review"
)

// ReviewAgent does op.ReviewAgent. The lines are looked up in the diff as it is now: a comment on one
// that is no longer there quotes it.
func (ws *worktreeService) ReviewAgent(
	ctx context.Context, req parley.ReviewAgentRequest,
) (*parley.SendMessageResult, error) {
	diff, err := ws.DiffAgent(ctx, parley.DiffAgentRequest{Agent: req.Agent})
	if err != nil {
		return nil, err
	}

	comments := review.Read(req.Sheet, diff.Diff)
	if len(comments) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "there is no comment").With("parameter", "sheet").
			Suggest("Begin each line of a comment with %s, below the line that it is about.", review.Mark)
	}

	return ws.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{diff.AgentID}, Text: review.Message(comments, diff.Since), IdempotencyKey: req.IdempotencyKey,
	})
}
