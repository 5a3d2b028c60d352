package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/store"
)

// IssueKey implements parley.RightsService.
func (o *Orchestrator) IssueKey(ctx context.Context, req parley.IssueKeyRequest) (*parley.IssueKeyResult, error) {
	return o.giveKey(ctx, req.Agent, func(*heldKey) bool { return false })
}

// RotateKey implements parley.RightsService.
func (o *Orchestrator) RotateKey(ctx context.Context, req parley.RotateKeyRequest) (*parley.IssueKeyResult, error) {
	return o.giveKey(ctx, req.Agent, (*heldKey).any)
}

// giveKey makes a key for an agent and ends those that are to end.
func (o *Orchestrator) giveKey(
	ctx context.Context,
	ref string,
	ends func(*heldKey) bool,
) (*parley.IssueKeyResult, error) {
	m, err := o.roster.find(ref)
	if err != nil {
		return nil, err
	}

	if m.kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidArgument, "%s needs no key", m.name).
			Suggest("The operator is known by the daemon's unix socket; name an agent.")
	}

	m.changing.Lock() // else a stop could end all keys but this one
	defer m.changing.Unlock()

	if m.snapshot().State == parley.StateTerminated {
		return nil, parley.Errorf(parley.AgentUnavailable, "%s is stopped, and no key of its would be good", m.name).
			Suggest("Start it again first: parley restart %s, or parley register %s for a mailbox.", m.name, m.name)
	}

	key, stored := o.roster.newKey(parley.KeyIssued)
	ended, err := o.swapKeys(ctx, m, stored, ends)
	if err != nil {
		return nil, err
	}

	return &parley.IssueKeyResult{
		Answer:  parley.OK,
		AgentID: m.id,
		Agent:   m.name,
		KeyID:   stored.KeyID,
		APIKey:  key,
		Ended:   idsOf(ended),
		Message: fmt.Sprintf("%s has a new key.", m.name) + endedWords(m, ended),
	}, nil
}

// swapKeys ends those keys of a member that are to end, and adds one unless it is nil.
func (o *Orchestrator) swapKeys(
	ctx context.Context,
	m *member,
	added *store.APIKey,
	ends func(*heldKey) bool,
) ([]*heldKey, error) {
	ring := &o.roster.keys
	ring.changing.Lock()
	defer ring.changing.Unlock()

	ended := slices.DeleteFunc(ring.of(m), func(k *heldKey) bool { return !ends(k) })
	if len(ended) == 0 && added == nil {
		return nil, nil
	}
	if err := o.store.SwapKeys(ctx, m.id, idsOf(ended), added, cmp.Or(parley.CallerFrom(ctx).Name, parley.SystemName)); err != nil {
		return nil, err
	}

	ring.end(ended)
	ring.add(m, added)

	return ended, nil
}

// RevokeKey implements parley.RightsService.
func (o *Orchestrator) RevokeKey(ctx context.Context, req parley.RevokeKeyRequest) (*parley.RevokeKeyResult, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}

	var m *member
	var err error
	if req.Agent != "" {
		if m, err = o.roster.find(req.Agent); err != nil {
			return nil, err
		}
	}

	ends := (*heldKey).any
	if req.KeyID != "" {
		k, err := o.keyNamed(m, req.KeyID)
		if err != nil {
			return nil, err
		}
		m, ends = k.member, func(other *heldKey) bool { return other.KeyID == k.KeyID }
	}

	ended, err := o.swapKeys(ctx, m, nil, ends)
	if err != nil {
		return nil, err
	}

	res := &parley.RevokeKeyResult{
		Answer:  parley.OK,
		Revoked: idsOf(ended),
		Message: m.name + " has no key that could end.",
	}

	if len(ended) > 0 {
		res.Message = strings.TrimSpace(endedWords(m, ended))
	}

	return res, nil
}

// keyNamed finds a key by its id. The whole key does as well: who has found one
// somewhere need not count its characters.
func (o *Orchestrator) keyNamed(m *member, id string) (*heldKey, error) {
	keys := o.roster.keys.of(m)
	i := slices.IndexFunc(keys, func(k *heldKey) bool { return id == k.KeyID || string(hashKey(id)) == string(k.Hash) })
	if i >= 0 {
		return keys[i], nil
	}
	whose := ""
	if m != nil {
		whose = " of " + m.name
	}
	return nil, parley.Errorf(parley.InvalidArgument, "there is no key %s%s", parley.CleanLine(parley.Truncate(id, parley.KeyIDLength)), whose).
		With("parameter", "key_id").
		Suggest("list_keys shows the ids of those that are good; it may have ended already.")
}

// ListKeys implements parley.RightsService.
func (o *Orchestrator) ListKeys(_ context.Context, req parley.ListKeysRequest) (*parley.ListKeysResult, error) {
	var m *member
	var err error
	if req.Agent != "" {
		if m, err = o.roster.find(req.Agent); err != nil {
			return nil, err
		}
	}
	res := &parley.ListKeysResult{Answer: parley.OK, Keys: []parley.Key{}}
	for _, k := range o.roster.keys.of(m) {
		res.Keys = append(res.Keys, k.shown())
	}
	return res, nil
}

func idsOf(keys []*heldKey) []string {
	ids := []string{}
	for _, k := range keys {
		ids = append(ids, k.KeyID)
	}
	return ids
}

// endedWords says which keys ended and who has to be told.
func endedWords(m *member, ended []*heldKey) string {
	if len(ended) == 0 {
		return ""
	}
	words := " Ended: " + strings.Join(idsOf(ended), ", ") + "."
	if m.snapshot().State.Live() && slices.ContainsFunc(ended, (*heldKey).launched) {
		words += fmt.Sprintf(
			" Its program has one of them and is refused until it is started again: parley restart %s",
			m.name,
		)
	}
	return words
}

// ApproveAgent implements parley.RightsService. What is special is a mailbox all the
// same unless a model is to answer for it.
func (o *Orchestrator) ApproveAgent(
	ctx context.Context,
	req parley.ApproveAgentRequest,
) (*parley.ApproveAgentResult, error) {
	m, err := o.roster.find(req.Agent)
	if err != nil {
		return nil, err
	}

	m.changing.Lock()
	defer m.changing.Unlock()

	if m.snapshot().Approval == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "%s has not asked to be a special agent", m.name).
			With("parameter", "agent").
			Suggest("An agent asks with special when it registers; get_needs lists those that wait for an answer.")
	}

	a := m.snapshot()
	words := "is not a special agent. It has its mailbox."
	if req.Approve {
		isAnsweredBy(&a, a.Responder)
		words = "is a special agent. Its messages go to its mailbox: no model answers for it."
		if a.AutoRespond {
			words = "is a special agent. It answers by " + a.Responder.Words() + "."
		}
	} else {
		a.Kind, a.Approval, a.IsSpecial = parley.KindMailbox, parley.ApprovalDeclined, false
	}

	if m.snapshot().Approval != a.Approval {
		if err := o.store.SetResponder(ctx, a); err != nil {
			return nil, err
		}
	}

	m.setApproval(a)

	return &parley.ApproveAgentResult{
		Answer:    parley.OK,
		AgentID:   m.id,
		Agent:     m.name,
		IsSpecial: req.Approve,
		Approval:  a.Approval,
		Message:   m.name + " " + words,
	}, nil
}
