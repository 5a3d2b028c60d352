package client_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
)

// newKey makes a key of an agent, under the lock.
func (m *memory) newKey(a *parley.Agent, origin parley.KeyOrigin) string {
	key := "parley_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	m.keys[key] = a.ID
	m.shown = append(
		m.shown,
		parley.Key{
			KeyID:     key[:parley.KeyIDLength],
			AgentID:   a.ID,
			Agent:     a.Name,
			Origin:    origin,
			CreatedAt: time.Now(),
		},
	)

	return key
}

// endKeys ends those that are to end, under the lock.
func (m *memory) endKeys(ends func(parley.Key) bool) []string {
	ended := []string{}
	m.shown = slices.DeleteFunc(m.shown, func(k parley.Key) bool {
		if !ends(k) {
			return false
		}

		ended = append(ended, k.KeyID)
		for key := range m.keys {
			if strings.HasPrefix(key, k.KeyID) {
				delete(m.keys, key)
			}
		}

		return true
	})

	return ended
}

func (m *memory) IssueKey(_ context.Context, r parley.IssueKeyRequest) (*parley.IssueKeyResult, error) {
	return m.giveKey(r.Agent, false)
}

func (m *memory) RotateKey(_ context.Context, r parley.RotateKeyRequest) (*parley.IssueKeyResult, error) {
	return m.giveKey(r.Agent, true)
}

func (m *memory) giveKey(ref string, rotate bool) (*parley.IssueKeyResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	a, err := m.find(ref)
	switch {
	case err != nil:
		return nil, err
	case a.Kind == parley.KindHuman:
		return nil, parley.Errorf(parley.InvalidArgument, "%s needs no key", a.Name).Suggest("Name an agent.")
	case a.State == parley.StateTerminated:
		return nil, parley.Errorf(parley.AgentUnavailable, "%s is stopped", a.Name).Suggest("Register it again.")
	}

	ended := m.endKeys(func(k parley.Key) bool { return rotate && k.AgentID == a.ID })
	key := m.newKey(a, parley.KeyIssued)

	return &parley.IssueKeyResult{
		Answer:  parley.OK,
		AgentID: a.ID,
		Agent:   a.Name,
		KeyID:   key[:parley.KeyIDLength],
		APIKey:  key,
		Ended:   ended,
		Message: "Here it is.",
	}, nil
}

func (m *memory) RevokeKey(_ context.Context, r parley.RevokeKeyRequest) (*parley.RevokeKeyResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	id := ""
	if r.Agent != "" {
		a, err := m.find(r.Agent)
		if err != nil {
			return nil, err
		}
		id = a.ID
	}

	ended := m.endKeys(func(k parley.Key) bool {
		return (id == "" || k.AgentID == id) && (r.KeyID == "" || k.KeyID == r.KeyID)
	})
	if r.KeyID != "" && len(ended) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "there is no such key").Suggest("list_keys shows them.")
	}

	return &parley.RevokeKeyResult{Answer: parley.OK, Revoked: ended, Message: "Ended."}, nil
}

func (m *memory) ListKeys(_ context.Context, r parley.ListKeysRequest) (*parley.ListKeysResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	id := ""
	if r.Agent != "" {
		a, err := m.find(r.Agent)
		if err != nil {
			return nil, err
		}
		id = a.ID
	}

	res := &parley.ListKeysResult{Answer: parley.OK, Keys: []parley.Key{}}
	for _, k := range m.shown {
		if id == "" || k.AgentID == id {
			res.Keys = append(res.Keys, k)
		}
	}

	return res, nil
}

func (m *memory) ApproveAgent(_ context.Context, r parley.ApproveAgentRequest) (*parley.ApproveAgentResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	a, err := m.find(r.Agent)
	if err != nil {
		return nil, err
	}
	if a.Approval == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "it has not asked").Suggest("Name one that has.")
	}

	a.Approval, a.IsSpecial = parley.ApprovalDeclined, r.Approve
	if r.Approve {
		a.Approval = parley.ApprovalGiven
	}

	return &parley.ApproveAgentResult{
		Answer:    parley.OK,
		AgentID:   a.ID,
		Agent:     a.Name,
		IsSpecial: a.IsSpecial,
		Approval:  a.Approval,
		Message:   "Decided.",
	}, nil
}

// approvals are the needs of agents that wait for a decision, under the lock.
func (m *memory) approvals() []parley.Need {
	needs := []parley.Need{}
	for _, a := range m.agents {
		if a.Approval == parley.ApprovalPending {
			needs = append(
				needs,
				parley.Need{Kind: parley.NeedApproval, AgentID: a.ID, Agent: a.Name, Since: a.Since, Text: "waits",
					Command: "parley approve " + a.Name, Action: "Decide."},
			)
		}
	}
	return needs
}
