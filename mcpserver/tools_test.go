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
)

func list(t *testing.T, s *official.ClientSession) []*official.Tool {
	t.Helper()
	res, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
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
	agentTools  = []string{"broadcast_message", "broadcast_update", "check_inbox", "check_new_messages", "get_agent_status", "get_conversation_history", "get_message_status",
		"get_messages", "ignore_message", "mark_message_read", "request_assistance", "respond_to_message", "search_messages", "send_message", "transfer_file",
		"add_participant_to_thread", "create_thread", "get_thread_details", "join_thread", "list_threads", "remove_participant_from_thread"}
	chiefTools = append([]string{"adopt_agent", "get_attach_info", "launch_agent", "pause_communication", "read_terminal", "restart_agent", "steer_agent", "stop_agent"}, agentTools...)
)

func TestToolsAreThoseTheCallerMayUse(t *testing.T) {
	for _, c := range []struct {
		caller parley.Caller
		want   []string
	}{{parley.Caller{}, publicTools}, {coder, agentTools}, {chief, chiefTools}, {operator, append(chiefTools[:len(chiefTools):len(chiefTools)], publicTools...)}} {
		want := slices.Sorted(slices.Values(c.want))
		for _, version := range eras {
			if diff := cmp.Diff(want, names(list(t, overHTTP(t, newFake(), c.caller, version, nil)))); diff != "" {
				t.Errorf("%q over http %s: %s", c.caller.Name, version, diff)
			}
		}
		if diff := cmp.Diff(want, names(list(t, overStdio(t, newFake(), c.caller, latest, nil)))); diff != "" {
			t.Errorf("%q over stdio: %s", c.caller.Name, diff)
		}
	}
}

// listSize is the most that an agent's tools/list may weigh: it is part of
// every agent's context from the first word on.
const listSize = 16_000

func TestToolsWeighLittle(t *testing.T) {
	tools := list(t, overHTTP(t, newFake(), coder, legacy, nil))
	b, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools in %d bytes", len(tools), len(b))
	if len(b) > listSize {
		t.Errorf("the tools of an agent weigh %d bytes, want at most %d", len(b), listSize)
	}
}

func TestToolsSayWhatTheyDoToTheWorld(t *testing.T) {
	type hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }
	want := map[string]hints{
		"check_inbox": {ReadOnly: true, Idempotent: true}, "send_message": {}, "get_messages": {Idempotent: true},
		"mark_message_read": {Idempotent: true}, "stop_agent": {Destructive: true}, "launch_agent": {}, "read_terminal": {ReadOnly: true, Idempotent: true},
	}
	for _, tool := range list(t, overHTTP(t, newFake(), chief, latest, nil)) {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s leaves its hints to the client: %+v", tool.Name, a)
			continue
		}
		if w, ok := want[tool.Name]; ok {
			if diff := cmp.Diff(w, hints{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint}); diff != "" {
				t.Errorf("%s: %s", tool.Name, diff)
			}
		}
		if tool.Description == "" {
			t.Errorf("%s is not described", tool.Name)
		}
	}
}

// schema reads a schema as the client got it.
func schema(t *testing.T, v any) *jsonschema.Resolved {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
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
		in, out := schema(t, tool.InputSchema).Schema(), schema(t, tool.OutputSchema)
		op := parley.FindOp(tool.Name)
		if in.Type != "object" || len(in.Properties) != len(op.Fields) {
			t.Errorf("%s: the input schema has %d properties, want %d", tool.Name, len(in.Properties), len(op.Fields))
		}
		if out.Schema().Type != "object" {
			t.Errorf("%s: the output schema is %+v, want an object", tool.Name, out.Schema())
		}
		if diff := cmp.Diff([]string{"success"}, out.Schema().Required); diff != "" {
			t.Errorf("%s: required of a result: %s", tool.Name, diff)
		}
		// Clients hold the structured part of an error against it as well.
		if err := out.Validate(map[string]any{"success": false, "error_code": "X", "error_message": "x", "details": map[string]any{},
			"suggested_action": "", "detail": "x", "error": "x"}); err != nil {
			t.Errorf("%s: an error does not fit the output schema: %v", tool.Name, err)
		}
	}
	if own := parley.FindOp("send_message").Output; len(own.Required) < 2 {
		t.Errorf("publishing has changed the operation's own schema: it requires %v", own.Required)
	}
}

func TestInstructionsSayWhoOneIs(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, _ *fake, s *official.ClientSession) {
		got := s.InitializeResult()
		if got == nil {
			t.Fatal("the client got no greeting")
		}
		for _, want := range []string{"You are coder (agent 11111111)", "[AGENT xxxxxxxx", "send_message", "respond_to_message", "thanks"} {
			if !strings.Contains(got.Instructions, want) {
				t.Errorf("the instructions do not say %q:\n%s", want, got.Instructions)
			}
		}
		if got.ServerInfo == nil || got.ServerInfo.Name != "parley" || got.ServerInfo.Version != "test" {
			t.Errorf("the server is %+v", got.ServerInfo)
		}
	})
}

func TestInstructionsAreShort(t *testing.T) {
	longest := parley.Caller{ID: coder.ID, Name: strings.Repeat("n", 32)}
	for _, c := range []parley.Caller{{}, longest, operator} {
		if n := len(Instructions(c)); n == 0 || n > 1500 {
			t.Errorf("the instructions of %q have %d characters", c.Name, n)
		}
	}
	if !strings.Contains(Instructions(parley.Caller{}), "register_agent") {
		t.Error("nobody is not told to register")
	}
}

// The inspector warns of unions of types, and some models' tools refuse them.
func TestPublishedSchemasHaveNoUnions(t *testing.T) {
	for _, tool := range list(t, overHTTP(t, newFake(), chief, legacy, nil)) {
		for _, s := range []any{tool.InputSchema, tool.OutputSchema} {
			if b, err := json.Marshal(s); err != nil || strings.Contains(string(b), `"type":[`) {
				t.Errorf("%s: %s %v", tool.Name, b, err)
			}
		}
		for _, e := range []any{nil, "it failed"} {
			if err := schema(t, tool.OutputSchema).Validate(map[string]any{"success": e == nil, "error": e}); err != nil {
				t.Errorf("%s: error %v does not fit: %v", tool.Name, e, err)
			}
		}
	}
}
