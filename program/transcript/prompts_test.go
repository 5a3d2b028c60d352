package transcript_test

import (
	"testing"
	"time"
)

func TestPromptsOfCodex(t *testing.T) {
	const at = `{"timestamp":"2026-11-22T22:42:59.188Z","type":"event_msg","payload":{"type":"item_completed",`
	for name, test := range map[string]struct{ form, line, want string }{
		"a prompt": {"codex", at + `"item":{"type":"UserMessage","content":[{"type":"text","text":"one"},{"type":"image"},` +
			`{"type":"text","text":"two"}]}}}`, "one\ntwo"},
		"an answer that quotes": {"codex", at + `"item":{"type":"AgentMessage","content":[{"type":"text","text":"\"UserMessage\""}]}}}`, ""},
		"without a text":        {"codex", at + `"item":{"type":"UserMessage","content":[{"type":"image"}]}}}`, ""},
		"cut":                   {"codex", `"item":{"type":"UserMessage","content":[{"type":"text","text":"one"}]}}}`, ""},
		"of another program":    {"qwen", at + `"item":{"type":"UserMessage","content":[{"type":"text","text":"one"}]}}}`, ""},
	} {
		got, ok := formOf(t, test.form).Prompt([]byte(test.line))
		if got.Text != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q, %v", name, got.Text, ok)
		}
		if want := time.Date(2026, 11, 22, 22, 42, 59, 188e6, time.UTC); ok && !got.At.Equal(want) {
			t.Errorf("%s: at %s", name, got.At)
		}
	}
}
