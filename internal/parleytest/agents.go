package parleytest

import (
	"slices"
	"strings"
	"time"

	"parley"
)

var agentCases = []testCase{
	{"RegisterReturnsIDAndKey", registerReturnsIDAndKey},
	{"RegisterRefusesATakenName", registerRefusesTakenName},
	{"RegisterRefusesIllegalNames", registerRefusesIllegalNames},
	{"AgentStatusListsTheTeamByName", statusListsTeam},
	{"AgentStatusFindsByNameIDAndPrefix", statusFinds},
	{"AgentStatusCountsUnread", statusCountsUnread},
	{"CallsWithoutACallerAreRefused", nobodyIsRefused},
	{"OperatorsOperationsAreRefusedToAgents", agentsMayNot},
	{"WorkspaceStatusIsForTheOperator", workspaceStatus},
	{"StoppedMailboxIsUnavailable", stoppedMailbox},
	{"MessageToAStoppedAgentFails", messageToStopped},
	{"BroadcastSkipsStopped", broadcastSkipsStopped},
	{"StopOfAnUnknownAgentIsRefused", stopUnknown},
}

func registerReturnsIDAndKey(f *fixture) {
	got := do[parley.RegisterAgentResult](f.operator, "register_agent", parley.RegisterAgentRequest{
		Username:     "tester",
		Description:  "runs the tests",
		Role:         "tester",
		Capabilities: []string{"go", "flaky tests"},
		Groups:       []string{"quality"},
	})
	if !got.Success || got.Username != "tester" || got.Status != "active" || len(got.AgentID) != 36 ||
		len(got.APIKey) < 16 {
		f.Errorf("register_agent gave %+v", got)
	}

	a := f.planner.agent("tester")
	same(f.T, "the new agent", parley.Agent{
		ID: a.ID, Name: a.Name, AgentSpec: parley.AgentSpec{
			Description:  a.Description,
			Role:         a.Role,
			Capabilities: a.Capabilities,
			Groups:       a.Groups,
		},
		Kind: a.Kind, State: a.State,
	}, parley.Agent{
		ID: got.AgentID, Name: "tester", AgentSpec: parley.AgentSpec{
			Description:  "runs the tests",
			Role:         "tester",
			Capabilities: []string{"go", "flaky tests"},
			Groups:       []string{"quality"},
		},

		Kind: parley.KindMailbox, State: parley.StateIdle,
	})
	if a.CreatedAt.IsZero() || a.Since.IsZero() {
		f.Errorf("the new agent has no times: %+v", a)
	}
}

func registerRefusesTakenName(f *fixture) {
	for _, name := range []string{"coder", "CODER", "Coder"} {
		refused(f.operator, "register_agent", params{"username": name}, parley.AgentExists)
	}
}

func registerRefusesIllegalNames(f *fixture) {
	for _, name := range []string{
		"", " ", "1st", "two words", "a/b", "naïve", "-x", strings.Repeat("n", 33), "deadbeef", "ALL", "all",
		"operator", "Operator", "parley", "system", "coder\n", "\x1b[31m",
	} {
		refused(f.operator, "register_agent", params{"username": name}, parley.InvalidArgument)
	}
	do[parley.RegisterAgentResult](f.operator, "register_agent", params{"username": strings.Repeat("n", 32)})
}

func statusListsTeam(f *fixture) {
	all := do[parley.AgentStatusResult](f.coder, "get_agent_status", nil).Agents
	got := []string{}
	for i, a := range all {
		if a.Kind == parley.KindMailbox {
			got = append(got, a.Name)
			same(f.T, a.Name+"'s availability", a.Availability, parley.Available)
		}
		if i > 0 && strings.ToLower(all[i-1].Name) > strings.ToLower(a.Name) {
			f.Errorf("%s is listed before %s", all[i-1].Name, a.Name)
		}
	}
	same(f.T, "the mailbox agents", got, []string{"coder", "planner", "reviewer"})
}

func statusFinds(f *fixture) {
	for _, ref := range []string{"coder", "CODER", f.coder.id, f.coder.id[:8], f.coder.id[:13]} {
		got := do[parley.AgentStatusResult](f.planner, "get_agent_status", parley.AgentStatusRequest{Agent: ref}).Agents
		if len(got) != 1 || got[0].ID != f.coder.id {
			f.Errorf("%q found %+v, want coder", ref, got)
		}
	}
	for _, ref := range []string{"nobody", f.coder.id[:7], "ffffffff"} {
		refused(f.planner, "get_agent_status", parley.AgentStatusRequest{Agent: ref}, parley.AgentNotFound)
	}
}

func statusCountsUnread(f *fixture) {
	unread := func() int {
		return f.planner.agent("coder").Unread
	}
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	same(f.T, "unread", unread(), 2)
	f.coder.getMessages(parley.GetMessagesRequest{})
	same(f.T, "unread after reading", unread(), 0)
}

func nobodyIsRefused(f *fixture) {
	nobody := f.coder
	nobody.caller = parley.Caller{}
	for _, op := range []string{
		"get_agent_status", "check_inbox", "get_messages", "read_events", "get_workspace_status",
	} {
		refused(nobody, op, nil, parley.Unauthenticated)
	}
	refused(nobody, "send_message", params{"to": "coder", "text": "hello"}, parley.Unauthenticated)
}

func agentsMayNot(f *fixture) {
	refused(f.coder, "stop_agent", params{"agent": "planner"}, parley.NotAuthorized)
	refused(f.coder, "launch_agent", params{"name": "mine"}, parley.NotAuthorized)
	refused(f.coder, "read_terminal", params{"agent": "planner"}, parley.NotAuthorized)
	refused(f.coder, "get_workspace_status", nil, parley.NotAuthorized)
	refused(f.coder, "backup", params{"path": "/nonexistent/copy.db"}, parley.NotAuthorized)
	refused(f.coder, "shut_down", nil, parley.NotAuthorized)
}

func workspaceStatus(f *fixture) {
	f.planner.send("hello", "coder")
	got := do[parley.WorkspaceStatusResult](f.operator, "get_workspace_status", nil)
	if got.LastEvent == 0 {
		f.Errorf("last_event is 0 after a message")
	}
	if idle := got.Agents[string(parley.StateIdle)]; idle < 3 { // the operator may be counted too
		f.Errorf("%d agents are idle, want the team of 3: %v", idle, got.Agents)
	}
}

func stoppedMailbox(f *fixture) {
	f.planner.send("before the end", "coder")
	f.stop(f.coder)
	got := f.planner.agent("coder")
	same(f.T, "state", got.State, parley.StateTerminated)
	same(f.T, "availability", got.Availability, parley.Unavailable)
	same(f.T, "its conversation is kept", inboxTexts(f.planner.history(parley.HistoryRequest{With: "coder"}).Messages),
		[]string{"before the end"})
}

func messageToStopped(f *fixture) {
	f.stop(f.coder)
	got := f.planner.send("hello?", "coder")
	same(f.T, "success", got.Success, false)
	same(f.T, "error_code", got.ErrorCode, parley.AgentUnavailable)
	same(f.T, "message", got.Message,
		"Failed to send message - recipient agent "+parley.Short(f.coder.id)+" may not exist or is terminated")

	same(f.T, "failed_delivery", got.DeliveryStatus.FailedDelivery, []string{f.coder.id})
	if got.Answer.Error == nil || *got.Answer.Error == "" || got.Action == "" {
		f.Errorf("the answer says nothing of what is wrong: %+v", got)
	}

	both := f.planner.send("hello, both", "coder", "reviewer")
	same(f.T, "success with one of two", both.Success, true)
	same(f.T, "delivered_to", both.DeliveryStatus.DeliveredTo, []string{f.reviewer.id})
	same(f.T, "failed_delivery", both.DeliveryStatus.FailedDelivery, []string{f.coder.id})
}

func broadcastSkipsStopped(f *fixture) {
	f.stop(f.coder)
	got := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "who is there?"})
	same(f.T, "recipient_count", got.RecipientCount, 1)
	if slices.Contains(recipients(got.DeliveryStatus), f.coder.id) {
		f.Errorf("it went to the stopped agent: %+v", got.DeliveryStatus)
	}
}

func stopUnknown(f *fixture) {
	refused(f.operator, "stop_agent", params{"agent": "nobody"}, parley.AgentNotFound)
}

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

var assistanceCases = []testCase{
	{"RequestAssistanceAsksTheTargets", assistanceTargets},
	{"RequestAssistanceAsksEveryone", assistanceEveryone},
}

func assistanceTargets(f *fixture) {
	deadline := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	got := do[parley.RequestAssistanceResult](
		f.planner,
		"request_assistance",
		params{"requester_agent_id": f.planner.id, "assistance_type": "review",
			"target_agents": []string{"reviewer"}, "required_capabilities": []string{"go"},
			"request_details": params{
				"description": "look at the store",
				"context":     "it grew",
				"deadline":    deadline,
				"priority":    "high",
			}},
	)
	if len(got.PotentialResponders) != 1 || got.PotentialResponders[0].AgentID != f.reviewer.id || got.BroadcastSent ||
		got.RequestID == "" {
		f.Errorf("the answer is %+v", got)
	}

	f.reviewer.expectInbox("request for review: look at the store\nContext: it grew\nNeeded: go")
	f.coder.expectInbox()
	m := f.planner.status(got.RequestID).Object
	same(f.T, "type and priority", []string{string(m.Type), string(m.Priority)}, []string{"request", "high"})
	if m.ResponseDeadline == nil || !m.ResponseDeadline.Equal(deadline) {
		f.Errorf("the deadline is %v, want %v", m.ResponseDeadline, deadline)
	}

	same(f.T, "reviewer owes", f.owed(f.reviewer), [2]int{1, 0})
	f.unchangedAfter(func() {
		details := params{"description": "x"}
		late := params{"description": "x", "deadline": "2001-01-01T00:00:00Z"}
		for _, wrong := range []params{
			{"assistance_type": "magic", "request_details": details},
			{"assistance_type": "review", "request_details": params{"context": "x"}},
			{"assistance_type": "review", "request_details": late},
			{"assistance_type": "review", "request_details": params{"description": "x", "priority": "top"}},
			{"assistance_type": "review"},
		} {
			refused(f.planner, "request_assistance", wrong, parley.InvalidArgument)
		}

		refused(f.planner, "request_assistance",
			params{"assistance_type": "review", "target_agents": []string{"planner"}, "request_details": details},
			parley.InvalidRecipient)
	})
}

func assistanceEveryone(f *fixture) {
	got := do[parley.RequestAssistanceResult](f.planner, "request_assistance", params{"assistance_type": "expertise",
		"required_capabilities": []string{"cobol"}, "request_details": params{"description": "who knows cobol?"}})
	ids := []string{}
	for _, p := range got.PotentialResponders {
		ids = append(ids, p.AgentID)
		same(f.T, "match", p.CapabilityMatch, 0.0)
	}
	same(f.T, "potential responders", sorted(ids...), sorted(f.coder.id, f.reviewer.id))
	same(f.T, "broadcast", got.BroadcastSent, true)
	f.coder.expectInbox("request for expertise: who knows cobol?\nNeeded: cobol")
}
