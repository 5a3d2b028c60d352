package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
)

// What the real programs hand to their hooks, shortened, and what comes of it.
func TestHookUnderstandsTheShippedPrograms(t *testing.T) {
	set := must.Have(profile.Builtin())(t)

	const prompt = `"prompt":"[AGENT 11111111 TO AGENT 22222222]: hi\n(operator · msg 5f0c21aa)"`
	given := []string{"5f0c21aa"}
	prompted, waiting := profile.Signal{
		State:    parley.StateBusy,
		Prompted: true,
	}, profile.Signal{
		State: parley.StateWaiting,
	}

	idle := profile.Signal{State: parley.StateIdle}
	compacts := profile.Signal{State: parley.StateBlocked, Why: "compaction", Passing: true}
	for _, c := range []struct {
		profile, arg, input string
		want                profile.Signal
		names               []string
	}{
		{"claude", "UserPromptSubmit", `{"hook_event_name":"UserPromptSubmit",` + prompt + `}`, prompted, given},
		{"claude", "Stop", `{"hook_event_name":"Stop","last_assistant_message":"(msg 0a0b0c0d)"}`, idle, nil},
		{"copilot", "userPromptSubmitted", `{"sessionId":"s","timestamp":1795252819790,` + prompt + `}`, prompted,
			given},
		{"copilot", "agentStop", `{"sessionId":"s","stopReason":"end_turn","stop_hook_active":false}`, idle, nil},
		{"copilot", "Notification",
			`{"message":"Run command: touch ` +
				`x","hook_event_name":"Notification","notification_type":"permission_prompt"}`, waiting, nil},
		{"copilot", "Notification", `{"hook_event_name":"Notification","notification_type":"shell_completed"}`,
			profile.Signal{}, nil},
		{"gemini", "BeforeAgent", `{"hook_event_name":"BeforeAgent",` + prompt + `}`, prompted, given},
		{"gemini", "AfterAgent", `{"hook_event_name":"AfterAgent",` + prompt + `,"prompt_response":"(msg 0a0b0c0d)"}`,
			idle, given},
		{"gemini", "Notification",
			`{"hook_event_name":"Notification","notification_type":"ToolPermission","details":{"type":"exec"}}`,
			waiting, nil},
		{"qwen", "UserPromptSubmit", `{"hook_event_name":"UserPromptSubmit",` + prompt + `,"submitted_` + prompt[1:] +
			`}`, prompted, given},
		{"qwen", "PermissionRequest", `{"hook_event_name":"PermissionRequest","tool_name":"run_shell_command"}`,
			waiting, nil},
		{"qwen", "Notification", `{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, idle, nil},
		{"qwen", "PreCompact", `{"hook_event_name":"PreCompact","trigger":"manual"}`, compacts, nil},
	} {
		p := must.Have(set.Find(c.profile))(t)

		r, ok := readReport(strings.Fields(c.arg), func() []byte { return []byte(c.input) })
		got, known := p.Reports.Signal(r.Event)
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.names, r.MessageIDs); diff != "" || !ok || !known {
			t.Errorf("%s: %q with %s: %v, %v (-want +got):\n%s", c.profile, c.arg, c.input, ok, known, diff)
		}
	}
}
