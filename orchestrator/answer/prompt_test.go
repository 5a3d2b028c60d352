package answer

import (
	"strings"
	"testing"

	"parley"
)

func TestModelCallsOnlyReadOnlyTools(t *testing.T) {
	got := new(prompts).runTool(t.Context(), nil, "stop_agent", `{"agent":"ada"}`)
	if !strings.Contains(got, string(parley.NotAuthorized)) {
		t.Errorf("stop_agent: got %s, want %s", got, parley.NotAuthorized)
	}
}

func TestThoughtsAreNoAnswer(t *testing.T) {
	for text, want := range map[string]string{
		"<think>\nhm\n</think>\nYes.":         "Yes.",
		"hm\n</think>\nYes.":                  "Yes.",
		"\n<think>\nhm, the length ends here": "",
		"A model writes <think> first.":       "A model writes <think> first.",
		"<think>a</think><think>and ends":     "",
	} {
		got := postProcess([]string{parley.PostStripThinking, parley.PostTrim}, "DM", text)
		if got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
