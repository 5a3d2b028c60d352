package parleytest

import (
	"context"
	"strings"

	"parley"
)

var registration = []testCase{
	{"RegisterReturnsIDAndKey", registerReturnsIDAndKey},
	{"RegisterRefusesATakenName", registerRefusesTakenName},
	{"RegisterRefusesIllegalNames", registerRefusesIllegalNames},
	{"AgentStatusListsTheTeamByName", statusListsTeam},
	{"AgentStatusFindsByNameIDAndPrefix", statusFinds},
	{"AgentStatusCountsUnread", statusCountsUnread},
	{"NobodyIsRefused", nobodyIsRefused},
	{"AgentsMayNotUseWhatIsTheOperators", agentsMayNot},
	{"WorkspaceStatusIsForTheOperator", workspaceStatus},
}

func registerReturnsIDAndKey(f *fixture) {
	got := do[parley.RegisterAgentResult](f.operator, "register_agent", parley.RegisterAgentRequest{
		Username: "tester", Description: "runs the tests", Role: "tester", Capabilities: []string{"go", "flaky tests"}, Groups: []string{"quality"}})
	if !got.Success || got.Username != "tester" || got.Status != "active" || len(got.AgentID) != 36 ||
		len(got.APIKey) < 16 {
		f.Errorf("register_agent gave %+v", got)
	}

	a := do[parley.AgentStatusResult](f.planner, "get_agent_status", parley.AgentStatusRequest{Agent: "tester"}).Agents[0]
	want := parley.Agent{ID: got.AgentID, Name: "tester", Description: "runs the tests", Role: "tester",
		Capabilities: []string{
			"go",
			"flaky tests",
		}, Groups: []string{"quality"}, Kind: parley.KindMailbox, State: parley.StateIdle}

	same(f.T, "the new agent", parley.Agent{ID: a.ID, Name: a.Name, Description: a.Description, Role: a.Role,
		Capabilities: a.Capabilities, Groups: a.Groups, Kind: a.Kind, State: a.State}, want)
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
	for _, name := range []string{"", " ", "1st", "two words", "a/b", "naïve", "-x", chars("n", 33), "deadbeef", "ALL", "all",
		"operator", "Operator", "parley", "system", "coder\n", "\x1b[31m"} {
		refused(f.operator, "register_agent", params{"username": name}, parley.InvalidArgument)
	}
	do[parley.RegisterAgentResult](f.operator, "register_agent", params{"username": chars("n", 32)})
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
		return do[parley.AgentStatusResult](f.planner, "get_agent_status", parley.AgentStatusRequest{Agent: "coder"}).Agents[0].Unread
	}
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	same(f.T, "unread", unread(), 2)
	f.coder.get(parley.GetMessagesRequest{})
	same(f.T, "unread after reading", unread(), 0)
}

func nobodyIsRefused(f *fixture) {
	nobody := f.coder
	nobody.ctx = parley.WithCaller(f.coder.ctx, parley.Caller{})
	for _, op := range []string{"get_agent_status", "check_inbox", "get_messages", "read_events", "get_workspace_status"} {
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

// cancelled returns the member with a context that can be ended.
func (m member) cancelled() (member, context.CancelFunc) {
	ctx, cancel := context.WithCancel(m.ctx)
	m.ctx = ctx
	return m, cancel
}
