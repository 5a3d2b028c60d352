package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
	"parley/op"
)

func list(t *testing.T, s *official.ClientSession) []*official.Tool {
	t.Helper()
	res := must.Have(s.ListTools(t.Context(), nil))(t)
	return res.Tools
}

func names(tools []*official.Tool) []string {
	list := []string{}
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return list
}

var (
	publicTools = []string{"register_agent"}
	agentTools  = []string{
		"broadcast_message",
		"broadcast_update",
		"check_inbox",
		"check_new_messages",
		"get_agent_status",
		"get_conversation_history",
		"get_message_status",
		"get_messages",
		"ignore_message",
		"mark_message_read",
		"request_assistance",
		"respond_to_message",
		"search_messages",
		"send_message",
		"transfer_file",
		"whois",
		"add_participant_to_thread",
		"create_thread",
		"get_conversation_state",
		"get_thread_details",
		"join_thread",
		"list_threads",
		"remove_participant_from_thread",
		"schedule_message",
		"list_schedules",
		"change_schedule",
	}
	chiefTools = append(
		[]string{
			"adopt_agent",
			"diff_agent",
			"get_attach_info",
			"launch_agent",
			"list_worktrees",
			"pause_communication",
			"preview_merge",
			"read_terminal",
			"handoff_agent",
			"restart_agent",
			"steer_agent",
			"stop_agent",
		},
		agentTools...)
)

func TestToolsAreThoseTheCallerMayUse(t *testing.T) {
	for _, c := range []struct {
		caller parley.Caller
		want   []string
	}{{parley.Caller{}, append(publicTools[:1:1], agentTools...)}, {coder, agentTools}, {chief, chiefTools},
		{operator, append(chiefTools[:len(chiefTools):len(chiefTools)], publicTools...)}} {
		want := slices.Sorted(slices.Values(c.want))
		for _, version := range eras {
			if diff := cmp.Diff(want, names(list(t, overHTTP(t, newFake(), c.caller, version, nil)))); diff != "" {
				t.Errorf("%q over http %s: %s", c.caller.Name, version, diff)
			}
		}

		if c.caller.Nobody() { // behind a bridge the daemon decides who calls
			want = publicTools
		}
		if diff := cmp.Diff(want, names(list(t, overStdio(t, newFake(), c.caller, latest, nil)))); diff != "" {
			t.Errorf("%q over stdio: %s", c.caller.Name, diff)
		}
	}
}

// Clients ask their user before a call that these hints do not let through.
func TestToolAnnotations(t *testing.T) {
	const reads, adds, marks, destroys = "reads", "adds", "marks", "destroys"
	want := map[string]string{
		"get_agent_status": reads, "check_inbox": reads, "check_new_messages": reads, "get_message_status": reads,
		"whois":                    reads,
		"list_schedules":           reads,
		"get_conversation_history": reads, "search_messages": reads, "list_threads": reads, "get_thread_details": reads,
		"get_conversation_state": reads,
		"read_terminal":          reads, "get_attach_info": reads, "list_worktrees": reads, "diff_agent": reads,
		"preview_merge": reads,

		"register_agent": adds, "send_message": adds, "broadcast_message": adds, "broadcast_update": adds,
		"request_assistance": adds, "schedule_message": adds,
		"respond_to_message": adds, "create_thread": adds, "transfer_file": adds, "launch_agent": adds,
		"adopt_agent": adds, "steer_agent": adds,

		"get_messages": marks, "mark_message_read": marks, "ignore_message": marks, "join_thread": marks,
		"add_participant_to_thread": marks, "remove_participant_from_thread": marks, "pause_communication": marks,

		"stop_agent": destroys, "restart_agent": destroys, "handoff_agent": destroys, "change_schedule": destroys,
	}

	for _, tool := range list(t, overHTTP(t, newFake(), operator, latest, nil)) {
		a := tool.Annotations
		if a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s is open to the world, or may be: %+v", tool.Name, a)
			continue
		}

		got := "unsaid"
		switch harmless := a.DestructiveHint != nil && !*a.DestructiveHint; {
		case a.ReadOnlyHint:
			got = reads
		case harmless && a.IdempotentHint:
			got = marks
		case harmless:
			got = adds
		case a.DestructiveHint != nil && !a.IdempotentHint:
			got = destroys
		}

		if got != want[tool.Name] {
			t.Errorf("%s %s, want %q: %+v", tool.Name, got, want[tool.Name], a)
		}

		delete(want, tool.Name)
		if tool.Description == "" {
			t.Errorf("%s is not described", tool.Name)
		}
	}

	for name := range want {
		t.Errorf("there is no tool %s", name)
	}
}

// schema reads a schema as the client got it.
func schema(t *testing.T, v any) *jsonschema.Resolved {
	t.Helper()
	b := must.Have(json.Marshal(v))(t)

	s := new(jsonschema.Schema)
	if err := json.Unmarshal(b, s); err != nil {
		t.Fatalf("%s: %v", b, err)
	}

	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}

	return r
}

func TestSchemasArePublished(t *testing.T) {
	for _, tool := range list(t, overHTTP(t, newFake(), chief, legacy, nil)) {
		in := schema(t, tool.InputSchema).Schema()
		op := op.Find(tool.Name)
		for _, f := range op.Fields {
			if listed := in.Properties[f.Name] != nil; listed == slices.Contains(forPrograms, f.Name) {
				t.Errorf("%s: whether the input schema has %s is %v", tool.Name, f.Name, listed)
			}
		}

		if in.Type != "object" {
			t.Errorf("%s: the input schema is of %s", tool.Name, in.Type)
		}
	}
}

// The inspector warns of unions of types, and some models' tools refuse them.
func TestPublishedSchemasHaveNoUnions(t *testing.T) {
	for _, tool := range list(t, overHTTP(t, newFake(), chief, legacy, nil)) {
		if b, err := json.Marshal(tool.InputSchema); err != nil || strings.Contains(string(b), `"type":[`) {
			t.Errorf("%s: %s %v", tool.Name, b, err)
		}
	}
}

// Without a key on the connection, a call names one: the tools of agents ask for it.
func TestToolsAskForAKeyWhereTheConnectionHasNone(t *testing.T) {
	for _, tool := range list(t, overHTTP(t, newFake(), parley.Caller{}, latest, nil)) {
		in := schema(t, tool.InputSchema).Schema()
		asks := in.Properties["api_key"] != nil && slices.Contains(in.Required, "api_key")
		if open := tool.Name == "register_agent"; asks == open {
			t.Errorf("%s asks for a key: %v", tool.Name, asks)
		}
	}
}
