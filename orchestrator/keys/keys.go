// Package keys tells who calls, and has the keys, the invitations and the sessions of the page.
package keys

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/notify"
	"parley/orchestrator/answer"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Service does the operations on keys: API keys and the approval of special agents.
type Service struct {
	Store      *store.Store
	Roster     *team.Roster
	Responders *answer.Responders
	Service    parley.Service      // answers dialogs
	Codes      *notify.AnswerCodes // of notices; nil: none
	Info       *parley.WorkspaceStatusResult
	URL        string // by which the page is reached from elsewhere; "": unknown
	Workspace  string
	Now        func() time.Time
	Log        *slog.Logger
}

func (ks *Service) IssueKey(ctx context.Context, req parley.IssueKeyRequest) (*parley.IssueKeyResult, error) {
	return ks.giveKey(ctx, req.Agent, req.Expires, func(*team.Key) bool { return false })
}

func (ks *Service) RotateKey(ctx context.Context, req parley.RotateKeyRequest) (*parley.IssueKeyResult, error) {
	return ks.giveKey(ctx, req.Agent, req.Expires, (*team.Key).IsAny)
}

// giveKey issues a key for an agent and ends the keys that ends selects.
func (ks *Service) giveKey(
	ctx context.Context, ref, expires string, ends func(*team.Key) bool,
) (*parley.IssueKeyResult, error) {
	life, err := parley.KeyLife(expires)
	if err != nil {
		return nil, err
	}
	m, err := ks.Roster.Find(ref)
	if err != nil {
		return nil, err
	}

	if by := parley.CallerFrom(ctx).Program; by != "" && m.Name == parley.OperatorName {
		return nil, parley.Errorf(parley.NotAuthorized, "a key of yours is given only at a terminal, not to %s", by).
			Suggest("Run it in a terminal of your own. On this machine, your programs need no key.")
	}

	m.Changing.Lock() // keeps a concurrent stop from missing the new key
	defer m.Changing.Unlock()

	if m.Agent().State == parley.StateTerminated {
		return nil, parley.Errorf(parley.AgentUnavailable, "%s is stopped, so a new key would not work", m.Name).
			Suggest("Start it again first: parley restart %s, or parley register %s for a mailbox.", m.Name, m.Name)
	}

	key, stored := ks.Roster.NewKey(parley.KeyIssued)
	until := ""
	if life > 0 {
		ends := stored.CreatedAt.Add(life)
		stored.ExpiresAt, until = &ends, " until "+ends.Local().Format("15:04 on 2 January 2006")
	}
	ended, err := ks.Roster.SwapKeys(ctx, m, stored, ends)
	if err != nil {
		return nil, err
	}

	return &parley.IssueKeyResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Agent:   m.Name,
		KeyID:   stored.KeyID,
		APIKey:  key,
		Ended:   team.KeyIDs(ended),
		Message: fmt.Sprintf("%s has a new key%s.", m.Name, until) + endedText(m, ended),

		ExpiresAt: stored.ExpiresAt,
	}, nil
}

// Invite does op.Invite. An invitation is a key of the operator's that only lets its
// owner register.
func (ks *Service) Invite(ctx context.Context, _ parley.InviteRequest) (*parley.InviteResult, error) {
	m := ks.Roster.ByName(parley.OperatorName)
	token, stored := ks.Roster.NewKey(parley.KeyInvitation)
	if _, err := ks.Roster.SwapKeys(ctx, m, stored, func(*team.Key) bool { return false }); err != nil {
		return nil, err
	}

	ends := stored.CreatedAt.Add(ks.Roster.InvitationLife)
	return &parley.InviteResult{
		Answer:    parley.OK,
		KeyID:     stored.KeyID,
		Token:     token,
		ExpiresAt: ends,
		Message: fmt.Sprintf("Whoever has this token may register until %s.",
			ends.Local().Format("15:04 on 2 January 2006")),
	}, nil
}

func (ks *Service) RevokeKey(ctx context.Context, req parley.RevokeKeyRequest) (*parley.RevokeKeyResult, error) {
	var m *team.Member
	var err error
	if req.Agent != "" {
		if m, err = ks.Roster.Find(req.Agent); err != nil {
			return nil, err
		}
	}

	ends := (*team.Key).IsAny
	if req.KeyID != "" {
		k, err := ks.findKey(m, req.KeyID)
		if err != nil {
			return nil, err
		}
		m, ends = k.Member, func(other *team.Key) bool { return other.KeyID == k.KeyID }
	}

	ended, err := ks.Roster.SwapKeys(ctx, m, nil, ends)
	if err != nil {
		return nil, err
	}

	res := &parley.RevokeKeyResult{
		Answer:  parley.OK,
		Revoked: team.KeyIDs(ended),
		Message: m.Name + " has no key that could end.",
	}

	if len(ended) > 0 {
		res.Message = strings.TrimSpace(endedText(m, ended))
	}

	return res, nil
}

// findKey finds a key by its id. It accepts a full key too.
func (ks *Service) findKey(m *team.Member, id string) (*team.Key, error) {
	keys := ks.Roster.Keys.List(m)
	i := slices.IndexFunc(keys, func(k *team.Key) bool {
		return id == k.KeyID || string(team.HashKey(id)) == string(k.Hash)
	})
	if i >= 0 {
		return keys[i], nil
	}
	whose := ""
	if m != nil {
		whose = " of " + m.Name
	}

	shown := plain.CleanLine(plain.Truncate(id, parley.KeyIDLength))
	return nil, parley.Errorf(parley.InvalidArgument, "there is no key %s%s", shown, whose).
		With("parameter", "key_id").
		Suggest("list_keys shows the ids of the valid keys; this one may have ended already.")
}

func (ks *Service) ListKeys(_ context.Context, req parley.ListKeysRequest) (*parley.ListKeysResult, error) {
	var m *team.Member
	var err error
	if req.Agent != "" {
		if m, err = ks.Roster.Find(req.Agent); err != nil {
			return nil, err
		}
	}
	res := &parley.ListKeysResult{Answer: parley.OK, Keys: []parley.Key{}}
	for _, k := range ks.Roster.Keys.List(m) {
		res.Keys = append(res.Keys, k.Public())
	}
	return res, nil
}

// endedText says which keys ended, and that a running program which has one needs a restart.
func endedText(m *team.Member, ended []*team.Key) string {
	if len(ended) == 0 {
		return ""
	}
	words := " Ended: " + strings.Join(team.KeyIDs(ended), ", ") + "."
	if m.Agent().State.Live() && slices.ContainsFunc(ended, (*team.Key).IsLaunched) {
		words += fmt.Sprintf(
			" Its program has one of them and is refused until it is started again: parley restart %s", m.Name,
		)
	}
	return words
}

// decideNewcomer lets an agent in, or ends it. One that asked to be answered for by a model then waits
// for that decision.
func (ks *Service) decideNewcomer(
	ctx context.Context, m *team.Member, approve bool,
) (*parley.ApproveAgentResult, error) {
	a := m.Agent()
	res := &parley.ApproveAgentResult{Answer: parley.OK, AgentID: m.ID, Agent: m.Name}
	if !approve {
		res.Approval, res.Message = parley.ApprovalDeclined, m.Name+" was not let in. Its key is no longer valid."
		return res, ks.Roster.Records.SetState(ctx, m, parley.StateTerminated, "the operator did not let it in", nil)
	}

	a.Approval = ""
	res.Message = m.Name + " takes part now."
	if a.Responder != nil {
		a.Approval = parley.ApprovalPending
		res.Message += " It asks to be answered for by " + a.Responder.Words() + ": decide on that too."
	}

	if err := ks.Store.Responders.SetResponder(ctx, a); err != nil {
		return nil, err
	}
	m.SetApproval(a)
	res.Approval = a.Approval

	return res, nil
}

// ApproveAgent does op.ApproveAgent. A special agent remains a mailbox,
// unless a model is to answer for it.
func (ks *Service) ApproveAgent(
	ctx context.Context, req parley.ApproveAgentRequest,
) (*parley.ApproveAgentResult, error) {
	m, err := ks.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	if m.Agent().Approval == parley.ApprovalNewcomer {
		return ks.decideNewcomer(ctx, m, req.Approve)
	}
	if m.Agent().Approval == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "%s has not asked to be a special agent", m.Name).
			With("parameter", "agent").
			Suggest("An agent asks with special when it registers; get_needs lists those that wait for an answer.")
	}

	a := m.Agent()
	words := "is not a special agent. It has its mailbox."
	if req.Approve {
		answer.Approve(&a, a.Responder)
		words = "is a special agent. Its messages go to its mailbox: no model answers for it."
		if a.AutoRespond {
			words = "is a special agent. It answers by " + a.Responder.Words() + "."
		}
	} else {
		a.Kind, a.Approval, a.IsSpecial = parley.KindMailbox, parley.ApprovalDeclined, false
	}

	if m.Agent().Approval != a.Approval {
		if err := ks.Store.Responders.SetResponder(ctx, a); err != nil {
			return nil, err
		}
	}

	m.SetApproval(a)

	return &parley.ApproveAgentResult{
		Answer:    parley.OK,
		AgentID:   m.ID,
		Agent:     m.Name,
		IsSpecial: req.Approve,
		Approval:  a.Approval,
		Message:   m.Name + " " + words,
	}, nil
}
