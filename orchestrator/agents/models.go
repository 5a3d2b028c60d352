package agents

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/team"
)

// Models does the operations on responders.
type Models struct {
	Responders *answer.Responders
	Meter      *meter.Meter
	Roster     *team.Roster
}

// AddResponder does op.AddResponder.
func (rs *Models) AddResponder(
	ctx context.Context, req parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	return rs.Responders.Add(ctx, req)
}

// ListResponders does op.ListResponders.
func (rs *Models) ListResponders(
	context.Context, parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return rs.Responders.List(), nil
}

// Usage does op.Usage.
func (rs *Models) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	res, err := rs.Responders.Usage(ctx, req)
	if err != nil {
		return nil, err
	}

	agentID, since := "", time.Time{}
	if req.Agent != "" {
		m, err := rs.Roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		agentID = m.ID
	}
	if req.Since != nil {
		since = *req.Since
	}
	if !parley.CallerFrom(ctx).Operator {
		return res, nil // what programs use is not for agents
	}
	res.Budget = rs.Meter.Budget("")
	res.Programs, err = rs.Meter.Programs(ctx, agentID, since)

	return res, err
}
