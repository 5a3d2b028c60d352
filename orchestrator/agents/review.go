package agents

import (
	"context"
	"slices"

	"parley"
	"parley/internal/review"
	"parley/op"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/orchestrator/worktree"
)

// ReviewAgent does op.ReviewAgent. The lines are looked up in the diff as it is now: a comment on one
// that is no longer there quotes it.
func (ws *Worktrees) ReviewAgent(
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

	return op.SendMessage.Call(ctx, ws.Service, parley.SendMessageRequest{
		To: parley.Names{diff.AgentID}, Text: review.Message(comments, diff.Since), IdempotencyKey: req.IdempotencyKey,
	})
}

func (ws *Worktrees) DiffAgent(
	ctx context.Context, req parley.DiffAgentRequest,
) (*parley.DiffAgentResult, error) {
	return relay.Across(ctx, ws.Elsewhere, ws.HostOf(req.Agent), op.DiffAgent, req, ws.diff)
}

func (ws *Worktrees) diff(ctx context.Context, req parley.DiffAgentRequest) (*parley.DiffAgentResult, error) {
	m, err := ws.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	a := m.Agent()
	dir := a.Dir
	if a.Worktree != nil {
		dir = a.Worktree.Path
	}
	if dir == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "parley does not know the directory of %s", m.Name).
			Suggest("Name an agent that parley launched.")
	}

	d, err := worktree.DiffOf(ctx, dir, a.Worktree, req.Stat)
	if err != nil {
		return nil, err
	}

	return &parley.DiffAgentResult{
		Answer:    parley.OK,
		AgentID:   m.ID,
		Name:      m.Name,
		Dir:       dir,
		Since:     d.Since,
		Diff:      d.Text,
		Files:     append([]parley.ChangedFile{}, d.Files...),
		Untracked: append([]string{}, d.Untracked...),
		Truncated: d.Truncated,
	}, nil
}

func (ws *Worktrees) PreviewMerge(
	ctx context.Context, req parley.PreviewMergeRequest,
) (*parley.PreviewMergeResult, error) {
	return relay.Across(ctx, ws.Elsewhere, ws.HostOf(req.Agent), op.PreviewMerge, req, ws.preview)
}

func (ws *Worktrees) preview(
	ctx context.Context, req parley.PreviewMergeRequest,
) (*parley.PreviewMergeResult, error) {
	m, w, err := ws.worktreeOf(req.Agent)
	if err != nil {
		return nil, err
	}
	p, err := worktree.PreviewOf(ctx, m.Name, w)
	if err != nil {
		return nil, err
	}

	res := &parley.PreviewMergeResult{
		Answer: parley.OK, AgentID: m.ID, Name: m.Name, Worktree: *w, Ahead: p.Ahead, Behind: p.Behind,
		Conflicts: append([]string{}, p.Conflicts...), Open: append([]string{}, p.Open...),
		Ignored: append([]string{}, p.Ignored...), Shared: ws.shared(ctx, m, w),
	}
	if p.Refused != nil {
		e := parley.AsError(p.Refused)
		res.Refused = e.Message + ". " + e.Action
	}

	return res, nil
}

// shared returns the files that other agents change, too, in their worktrees of the same repository.
func (ws *Worktrees) shared(ctx context.Context, m *team.Member, w *parley.Worktree) []parley.SharedFiles {
	shared := []parley.SharedFiles{}
	mine, err := worktree.Changed(ctx, w.Path, w.Base)
	if err != nil {
		return shared
	}
	for _, other := range ws.Roster.All() {
		its := other.Agent().Worktree
		if other == m || its == nil || its.Repository != w.Repository || !ws.Roster.Hosts.Here(other) {
			continue
		}

		changed, _ := worktree.Changed(ctx, its.Path, its.Base) // one that git cannot read changes nothing
		both := slices.DeleteFunc(changed, func(name string) bool { return !slices.Contains(mine, name) })
		if len(both) > 0 {
			shared = append(shared, parley.SharedFiles{AgentID: other.ID, Name: other.Name, Files: both})
		}
	}

	return shared
}
