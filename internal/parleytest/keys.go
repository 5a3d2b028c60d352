package parleytest

import (
	"slices"
	"strings"

	"parley"
)

var keyCases = []testCase{
	{"KeysAreIssuedListedAndRevoked", keysComeAndGo},
	{"RotationEndsTheOtherKeys", rotationEndsTheOthers},
	{"KeysOfTheOperatorAndOfUnknownAgentsAreRefused", keysRefused},
	{"SpecialAgentsWaitForApproval", specialAgentsWait},
}

func keysComeAndGo(f *fixture) {
	first := f.keyIDs("coder")
	same(f.T, "keys of coder", len(first), 1)
	got := do[parley.IssueKeyResult](f.operator, "issue_key", params{"agent": "coder"})
	if got.AgentID != f.coder.id || len(got.APIKey) < 32 || !strings.HasPrefix(got.APIKey, got.KeyID) ||
		len(got.KeyID) != parley.KeyIDLength ||
		len(got.Ended) != 0 {
		f.Errorf("issue_key gave %+v", got)
	}

	same(f.T, "keys with a further one", f.keyIDs("coder"), append(first, got.KeyID))
	all := do[parley.ListKeysResult](f.operator, "list_keys", nil).Keys
	// The operator may call with a key too.
	all = slices.DeleteFunc(all, func(k parley.Key) bool { return k.Agent == parley.OperatorName })
	same(f.T, "all keys of agents", len(all), 4)
	refused(f.operator, "revoke_key", params{"agent": "planner", "key_id": got.KeyID}, parley.InvalidArgument)
	same(f.T, "revoked", do[parley.RevokeKeyResult](f.operator, "revoke_key", params{"key_id": got.KeyID}).Revoked,
		[]string{got.KeyID})

	refused(f.operator, "revoke_key", params{"key_id": got.KeyID}, parley.InvalidArgument)
	same(f.T, "keys without it", f.keyIDs("coder"), first)
	same(f.T, "all revoked", do[parley.RevokeKeyResult](f.operator, "revoke_key", params{"agent": "coder"}).Revoked,
		first)

	same(f.T, "again", do[parley.RevokeKeyResult](f.operator, "revoke_key", params{"agent": "coder"}).Revoked,
		[]string{})

	same(f.T, "keys at the end", f.keyIDs("coder"), []string{})
}

func rotationEndsTheOthers(f *fixture) {
	do[parley.IssueKeyResult](f.operator, "issue_key", params{"agent": "coder"})
	before, others := f.keyIDs("coder"), f.keyIDs("planner")
	got := do[parley.IssueKeyResult](f.operator, "rotate_key", params{"agent": "coder"})
	same(f.T, "ended", got.Ended, before)
	same(f.T, "keys of coder", f.keyIDs("coder"), []string{got.KeyID})
	same(f.T, "keys of planner", f.keyIDs("planner"), others)
}

func keysRefused(f *fixture) {
	for _, op := range []string{"issue_key", "rotate_key"} {
		refused(f.operator, op, params{"agent": "nobody"}, parley.AgentNotFound)
		refused(f.operator, op, nil, parley.InvalidArgument)
	}
	refused(f.operator, "list_keys", params{"agent": "nobody"}, parley.AgentNotFound)
	refused(f.operator, "revoke_key", nil, parley.InvalidArgument)
	refused(f.operator, "revoke_key", params{"agent": "coder", "key_id": ""}, parley.InvalidArgument)
	same(f.T, "keys of coder", len(f.keyIDs("coder")), 1)
	do[parley.StopAgentResult](f.operator, "stop_agent", params{"agent": "coder"})
	same(f.T, "keys of one that is stopped", f.keyIDs("coder"), []string{})
	refused(f.operator, "issue_key", params{"agent": "coder"}, parley.AgentUnavailable)
}

func specialAgentsWait(f *fixture) {
	got := do[parley.RegisterAgentResult](
		f.operator, "register_agent", params{"username": "DM", "agent_description": "narrates", "special": true},
	)

	same(f.T, "the status", got.Status, parley.StatusPendingApproval)
	status := func() parley.Agent {
		return f.planner.agent("DM").Agent
	}

	waiting := func() int {
		n := 0
		for _, need := range do[parley.GetNeedsResult](f.operator, "get_needs", nil).Needs {
			if need.Kind == parley.NeedApproval && need.Agent == "DM" && need.Command != "" && need.Action != "" {
				n++
			}
		}

		return n
	}

	check := func(when string, approval parley.Approval, needs int) {
		f.Helper()
		a := status()
		same(f.T, "approval "+when, a.Approval, approval)
		same(f.T, "special "+when, a.IsSpecial, approval == parley.ApprovalGiven)
		same(f.T, "needs "+when, waiting(), needs)
	}

	check("at first", parley.ApprovalPending, 1)
	f.planner.send("are you there?", "DM") // it is a mailbox meanwhile
	for _, approve := range []bool{false, true, true} {
		want := parley.ApprovalDeclined
		if approve {
			want = parley.ApprovalGiven
		}

		answer := do[parley.ApproveAgentResult](f.operator, "approve_agent", params{"agent": "DM", "approve": approve})
		same(f.T, "the answer", []any{answer.IsSpecial, answer.Approval}, []any{approve, want})
		check("after the decision", want, 0)
	}

	refused(f.operator, "approve_agent", params{"agent": "coder", "approve": true}, parley.InvalidArgument)
	refused(f.operator, "approve_agent", params{"agent": "DM"}, parley.InvalidArgument)
	refused(f.operator, "approve_agent", params{"agent": "nobody", "approve": true}, parley.AgentNotFound)
}
