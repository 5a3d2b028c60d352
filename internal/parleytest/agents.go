package parleytest

import (
	"slices"
	"strings"

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
