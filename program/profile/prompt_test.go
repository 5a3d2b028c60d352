package profile_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// The words are those that each program was tried with, see lab/agents. What has none gets its first prompt typed.
func TestFirstPromptsAreArguments(t *testing.T) {
	set, flags := builtin(t), map[string]string{
		"claude": "--", "codex": "--", "pi": "--", "omp": "", "grok": "", "copilot": "-i", "gemini": "-i", "qwen": "-i",
	}
	for _, name := range set.Names() {
		p := find(t, set, name)
		with := values
		with.Prompt = "[AGENT 1 TO AGENT 2]: {{.ID}}"
		h, plain := must.Have(p.Handover.Render(with))(t), must.Have(p.Handover.Render(values))(t)

		want := slices.Clone(plain.Args)
		if flag, ok := flags[name]; ok {
			want = append(want, append(strings.Fields(flag), with.Prompt)...)
		}
		if !slices.Equal(h.Args, want) {
			t.Errorf("%s: the arguments are %q, want %q", name, h.Args, want)
		}
		if _, ok := flags[name]; p.TakesPrompt(p.Command) != ok {
			t.Errorf("%s: TakesPrompt is %v", name, !ok)
		}
	}
}

func TestACommandWithItsOwnWordsGetsNoPrompt(t *testing.T) {
	claude := find(t, builtin(t), "claude")
	for command, want := range map[string]bool{
		"claude":                             true,
		"/opt/bin/claude --model opus -d":    true,
		"env A=1 claude --permission-mode=x": true,
		"claude hello":                       false,
		"claude --model opus hello":          false,
		"claude mcp serve":                   false,
		"claude -- hello":                    false,
		"claude --resume":                    false, // it asks which
		"sudo claude":                        false, // the files of the handover do not reach it
		"my-wrapper":                         false,
		"npm exec @anthropic-ai/claude-code": false, // npm takes what follows
	} {
		if got := claude.TakesPrompt(strings.Fields(command)); got != want {
			t.Errorf("%s: got %v, want %v", command, got, want)
		}
	}
}

func TestBriefingNamesThePromptWithoutASeal(t *testing.T) {
	with := values
	with.First = "msg 5f0c21aa"
	h := must.Have(profile.Handover{}.Render(with))(t)
	if !strings.Contains(h.Briefing, "your first prompt (msg 5f0c21aa)") {
		t.Errorf("the briefing is %q", h.Briefing)
	}
}
