package store

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestAgentIsReadAsStored(t *testing.T) {
	s := openTest(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	seven := 7
	want := parley.Agent{
		ID: agentID(1), Name: "Coder", AgentSpec: parley.AgentSpec{
			Description:   "writes 'code'",
			Role:          "engineer",
			Capabilities:  []string{"go", `"sql"`},
			Groups:        []string{"backend"},
			Orchestrate:   true,
			Interruptible: true,
		},
		Kind:  parley.KindTerminal,
		State: parley.StateExited, Since: at, Evidence: "exit", ExitStatus: &seven, Host: "here", Profile: "generic",
		Command:  []string{"sh", "-c", "echo ?"},
		Session:  parley.Session{ID: "5f0c21aa-1", State: parley.SessionBegun},
		NoResume: true, PromptHash: "ab12", OwnEnv: []string{"PORT"},
		Seal: "k7f3qa", Socket: "/run/user/1000/tmux", Pane: "%3", Approval: parley.ApprovalGiven, IsSpecial: true,
		CreatedAt: at.Add(time.Hour), LastActive: at.Add(2 * time.Hour),
	}

	must.Do(t, s.Agents.CreateAgent(t.Context(), want, testKey("parley_1", 1, 2, 0, 3)))

	addAgents(t, s, 1) // one without details, which comes first by name
	got, err := s.Agents.List(t.Context())
	if err != nil || len(got) != 2 || got[0].Name != agentName(0) {
		t.Fatalf("Agents: got %+v, %v", got, err)
	}
	if diff := cmp.Diff(want, got[1]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got[0].ExitStatus != nil || got[0].CreatedAt.IsZero() {
		t.Errorf("an agent with nothing set: %+v", got[0])
	}
}

// A column that one way of the mapping forgets is lost in silence.
func TestEachColumnOfAnAgentIsMappedBothWays(t *testing.T) {
	var want agentRow
	seven := 7
	for i, v := 0, reflect.ValueOf(&want).Elem(); i < v.NumField(); i++ {
		switch f, name := v.Field(i), v.Type().Field(i).Name; f.Interface().(type) {
		case string:
			f.SetString(name)
		case bool:
			f.SetBool(true)
		case int64:
			f.SetInt(int64(i) * int64(time.Hour))
		case []string:
			f.Set(reflect.ValueOf([]string{name}))
		case *int:
			f.Set(reflect.ValueOf(&seven))
		case parley.AgentSpec:
			f.Set(reflect.ValueOf(parley.AgentSpec{Description: name}))
		default:
			t.Fatalf("give %s a value here", name)
		}
	}
	want.Worktree = worktreeText(&parley.Worktree{Branch: "parley/coder"})
	want.Ports = portsText(parley.Ports{"PORT": 20000})
	want.PullRequest = pullText(&parley.PullRequest{Number: 7})

	a := want.agent()
	if diff := cmp.Diff(want, agentsIn{}.row(&a)); diff != "" {
		t.Errorf("-stored +stored again:\n%s", diff)
	}
}

func TestAgentNamesAreUniqueWhateverTheirCase(t *testing.T) {
	s := openTest(t)
	a := testAgent(1)
	a.Name, a.State = "Coder", parley.StateTerminated
	must.Do(t, s.Agents.CreateAgent(t.Context(), a, nil))
	b := testAgent(2)
	b.Name = "cODER"
	wantCode(t, "CreateAgent", s.Agents.CreateAgent(t.Context(), b, nil), parley.AgentExists)
	if got := s.Events.LastEvent(); got != 1 {
		t.Errorf("LastEvent: got %d, want 1", got)
	}
}

func TestReviveAgentKeepsItsIDAndBirth(t *testing.T) {
	s := openTest(t)
	old := testAgent(1)
	old.CreatedAt = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	seven := 7
	old.ExitStatus = &seven
	must.Do(t, s.Agents.CreateAgent(t.Context(), old, testKey("parley_old", 1)))

	fresh := testAgent(1)
	fresh.State, fresh.Role, fresh.Command = parley.StateStarting, "reviewer", []string{"sh"}
	must.Do(t, s.Agents.ReviveAgent(t.Context(), fresh, testKey("parley_new", 2)))

	got, err := s.Agents.List(t.Context())
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}

	a := got[0]
	if a.Role != "reviewer" || a.State != parley.StateStarting || a.ExitStatus != nil ||
		!a.CreatedAt.Equal(old.CreatedAt) || len(a.Command) != 1 {
		t.Errorf("got %+v", a)
	}

	if keys, err := s.Keys.List(t.Context()); err != nil || len(keys) != 1 || keys[0].KeyID != "parley_new" {
		t.Errorf("keys of an agent that was revived: got %+v, %v, want the new one alone", keys, err)
	}

	wantCode(t, "an unknown one", s.Agents.ReviveAgent(t.Context(), testAgent(5), nil), parley.AgentNotFound)
}

func TestSetAgentStateEmitsOnlyChanges(t *testing.T) {
	s := openTest(t)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.db.base.Now = func() time.Time { return clock }
	addAgents(t, s, 1)
	begin := clock
	set := func(st parley.AgentState, evidence string, exit *int) time.Time {
		t.Helper()
		clock = clock.Add(time.Minute)
		return must.Have(s.Agents.SetAgentState(t.Context(), agentID(0), st, evidence, exit))(t)
	}

	zero := 0
	for _, step := range []struct {
		what     string
		state    parley.AgentState
		evidence string
		exit     *int
		since    time.Time
		events   int64
	}{
		{"the same", parley.StateIdle, "", nil, begin, 1},
		{"new evidence", parley.StateIdle, "its hook says so", nil, begin, 2},
		{"the same again", parley.StateIdle, "its hook says so", nil, begin, 2},
		{"a new state", parley.StateExited, "it ended", nil, begin.Add(4 * time.Minute), 3},
		{"its status", parley.StateExited, "it ended", &zero, begin.Add(4 * time.Minute), 4},
	} {
		if since := set(step.state, step.evidence, step.exit); !since.Equal(step.since) ||
			s.Events.LastEvent() != step.events {
			t.Errorf("%s: got since %v and %d events, want %v and %d", step.what, since, s.Events.LastEvent(),
				step.since,
				step.events)
		}
	}

	events, err := s.Events.List(t.Context(), EventQuery{Last: 1})
	if err != nil || len(events) != 1 {
		t.Fatal(events, err)
	}

	want := parley.Event{
		Seq:     4,
		Type:    parley.EventAgent,
		Time:    clock,
		AgentID: agentID(0),
		Agent:   agentName(0),
		State:   "exited",
		Detail:  "it ended",
	}

	if diff := cmp.Diff(want, events[0]); diff != "" {
		t.Errorf("event: -want +got:\n%s", diff)
	}

	log := agentLog(t, s, 0)
	if len(log) != 4 || !strings.Contains(log[3].Details, `"exit_status":0`) ||
		log[3].LogType != typeLifecycle {
		t.Errorf("agent log: got %+v", log)
	}

	_, err = s.Agents.SetAgentState(t.Context(), "nobody", parley.StateIdle, "", nil)
	wantCode(t, "an unknown agent", err, parley.AgentNotFound)
}

func TestTouchAgents(t *testing.T) {
	s := openWith(t, 2)
	later := time.Now().Add(time.Hour).UTC()
	active := map[string]time.Time{agentID(0): later, agentID(1): time.Unix(1, 0), "nobody": later}
	must.Do(t, s.Agents.TouchAgents(t.Context(), active))
	got, err := s.Agents.List(t.Context())
	if err != nil || !got[0].LastActive.Equal(later) || got[1].LastActive.Equal(time.Unix(1, 0)) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAgentsAreChangedInPlace(t *testing.T) {
	s := openTest(t)
	a := testAgent(1)
	a.Session, a.Role = parley.Session{ID: "5f0c21aa-1", State: parley.SessionChosen}, "coder"
	must.Do(t, s.Agents.CreateAgent(t.Context(), a, nil))

	begun := parley.Session{ID: "5f0c21aa-1", State: parley.SessionBegun}
	must.Do(t, s.Agents.SetAgentSession(t.Context(), a.ID, begun))
	changed := a
	changed.Role, changed.Groups, changed.NoResume, changed.PromptHash = "", []string{"backend"}, true, "ab12"
	changed.Orchestrate, changed.Dir = true, "/elsewhere"
	must.Do(t, s.Agents.SetAgentLabels(t.Context(), a.ID, changed))

	got := must.Have(s.Agents.List(t.Context()))(t)[0]
	if got.Session != begun || got.Role != "" || !got.NoResume || !got.Orchestrate || got.PromptHash != "ab12" ||
		len(got.Groups) != 1 || got.Dir != a.Dir {
		t.Errorf("got %+v", got)
	}

	none := agentID(7)
	wantCode(t, "SetAgentSession", s.Agents.SetAgentSession(t.Context(), none, begun), parley.AgentNotFound)
	wantCode(t, "SetAgentLabels", s.Agents.SetAgentLabels(t.Context(), none, changed), parley.AgentNotFound)
}
