package profile_test

import (
	"encoding/json"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// What each program writes of a text that a hook gave is known by its transcript's lines, as they were seen.
func TestHooksOfPrograms(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	for _, test := range []struct {
		program, event string
		reported       bool
		altered        string // what it changes on its way in
		line, other    string // of its transcript: one that holds the text, and one that tells nothing
	}{
		{"claude", "PostToolUse", false, "", `{"type":"attachment","attachment":{"type":"hook_additional_context","content":[]}}`,
			`{"type":"attachment","attachment":{"type":"hook_success","stdout":""}}`},
		{"claude", "Stop", false, "", `{"type":"attachment","attachment":{"type":"hook_additional_context","content":[]}}`,
			`{"type":"user","message":{}}`},
		{"codex", "PostToolUse", false, "", `{"type":"response_item","payload":{"type":"message","role":"developer"}}`,
			`{"type":"response_item","payload":{"type":"message","role":"assistant"}}`},
		{"codex", "Stop", false, "a < b", `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"HookPrompt"}}}`,
			`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage"}}}`},
		{"gemini", "AfterTool", false, "a < b", `{"type":"user","content":[]}`, `{"type":"gemini","content":""}`},
		{"gemini", "AfterAgent", true, "", "", ""},
		{"qwen", "PostToolUse", false, "a < b", `{"type":"tool_result","message":{}}`, `{"type":"assistant","message":{}}`},
		{"qwen", "Stop", true, "", "", ""},
		{"grok", "PostToolUse", false, "", `{"type":"user","synthetic_reason":"system_reminder"}`, `{"type":"user"}`},
		{"grok", "Stop", false, "", `{"type":"user","synthetic_reason":"stop_hook_feedback"}`, `{"type":"assistant"}`},
		{"copilot", "postToolUse", false, "", `{"type":"tool.execution_complete","data":{}}`, `{"type":"hook.end","data":{}}`},
		{"copilot", "agentStop", true, "", "", ""},
	} {
		p := must.Have(set.Find(test.program))(t)
		hook, ok := p.Door.Hooks.Of(test.event)
		if !ok {
			t.Fatalf("%s takes nothing at %s", test.program, test.event)
		}
		if hook.IsReported() != test.reported || hook.IsAltered("plain (ann · msg 0a1b2c3d)") ||
			hook.IsAltered(test.altered) != (test.altered != "") {
			t.Errorf("%s, %s: %+v", test.program, test.event, hook)
		}
		if !test.reported && (!hook.Read.Match([]byte(test.line)) || hook.Read.Match([]byte(test.other))) {
			t.Errorf("%s, %s: it takes another line for what its hook gave", test.program, test.event)
		}
		if test.reported && !p.Reports.Prompts() {
			t.Errorf("%s, %s: nothing tells what became of it", test.program, test.event)
		}

		var form map[string]any
		must.Do(t, json.Unmarshal([]byte(must.Have(hook.Print("two\nlines \"<b>\""))(t)), &form))
		if specific, ok := form["hookSpecificOutput"].(map[string]any); ok {
			form = specific
		}
		if text := "two\nlines \"<b>\""; form["reason"] != text && form["additionalContext"] != text {
			t.Errorf("%s, %s: it prints %v", test.program, test.event, form)
		}
	}

	for _, event := range []string{"", "subagent:Stop", "SubagentStop", "UserPromptSubmit", "Stop:x"} {
		if hook, ok := must.Have(set.Find("claude"))(t).Door.Hooks.Of(event); ok {
			t.Errorf("Claude Code takes something at %q: %+v", event, hook)
		}
	}
}

func TestHooksAreChecked(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	for _, bad := range []string{
		"door: {hooks: {args: ['{{.None}}']}}",
		"door: {hooks: {file: ../chat.jsonl}}",
		"door: {hooks: {end: {event: Stop, alters: '('}}}",
		"door: {hooks: {last: {event: Stop}}}",
	} {
		if _, err := set.With("mine", []byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
