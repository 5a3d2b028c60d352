package client_test

import (
	"context"

	"parley"
)

func (m *memory) AddResponder(_ context.Context, r parley.AddResponderRequest) (*parley.AddResponderResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	a, err := m.find(r.Name)
	switch {
	case err != nil:
		a = &parley.Agent{Name: r.Name}
		m.add(a)
	case a.Responder == nil:
		return nil, parley.Errorf(parley.AgentExists, "there is an agent %q", r.Name).Suggest("Choose another name.")
	}

	a.Responder = &parley.Responder{
		ResponderConfig: *r.Config,
		AutoRespond:     r.AutoRespond == nil || *r.AutoRespond,
		Origin:          parley.FromOperator,
	}

	a.Approval, a.IsSpecial, a.AutoRespond, a.Kind = parley.ApprovalGiven, true, a.Responder.AutoRespond, parley.KindMailbox
	if a.AutoRespond {
		a.Kind = parley.KindResponder
	}
	if r.Description != "" {
		a.Description = r.Description
	}

	return &parley.AddResponderResult{Answer: parley.OK, AgentID: a.ID, Agent: a.Name, Message: "It answers."}, nil
}

func (m *memory) ListResponders(context.Context, parley.ListRespondersRequest) (*parley.ListRespondersResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	res := &parley.ListRespondersResult{Answer: parley.OK, Responders: []parley.ResponderStatus{}}
	for _, a := range m.agents {
		if a.Responder != nil {
			res.Responders = append(
				res.Responders,
				parley.ResponderStatus{AgentID: a.ID, Agent: a.Name, State: a.State, Approval: a.Approval,
					Answers: a.Approval == parley.ApprovalGiven && a.Responder.AutoRespond, Responder: *a.Responder},
			)
		}
	}

	return res, nil
}

func (m *memory) Usage(_ context.Context, r parley.UsageRequest) (*parley.UsageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find(r.Agent); err != nil && r.Agent != "" {
		return nil, err
	}
	return &parley.UsageResult{Answer: parley.OK, Agents: []parley.AgentUsage{}, Calls: []parley.ModelCall{}}, nil
}
