package profile

import (
	"testing"

	"parley"
	"parley/internal/must"
)

// The titles of the real programs' terminals, as tmux showed them.
func TestTitlesOfTheShippedProfiles(t *testing.T) {
	set := must.Have(Builtin())(t)

	for _, c := range []struct {
		profile, title string
		want           parley.AgentState
	}{
		{"codex", "w", ""},
		{"codex", "my [ ! ] Action Required", ""},
		{"codex", "⠋ w", parley.StateBusy},
		{"codex", "⠏ w", parley.StateBusy},
		{"codex", "[ ! ] Action Required | w", parley.StateWaiting},
		{"codex", "[ . ] Action Required | w", parley.StateWaiting},
		{"gemini", "◇  Ready (w)                                                                    ", ""},
		{"gemini", "✦  Working… (w)                                                                 ",
			parley.StateBusy},
		{"gemini", "✦  Considering the tests (w)                                                    ",
			parley.StateBusy},
		{"gemini", "⏲  Working… (w)                                                                 ",
			parley.StateBusy},
		{"gemini", "✋  Action Required (w)                                                          ",
			parley.StateWaiting},
		// switched off by its settings
		{"gemini", "Gemini CLI (w)                                                                  ", ""},
		{"qwen", "Qwen - w", ""},
		{"qwen", "◐\ufe0e Qwen - w", parley.StateBusy},
		{"qwen", "✳\ufe0e Qwen - w", parley.StateWaiting},
		{"claude", "✳ Claude Code", ""}, // in every state
		{"copilot", "hello you - GitHub Copilot", ""},
		{"opencode", "OC | Greeting", ""},
	} {
		p := must.Have(set.Find(c.profile))(t)
		if got, ok := p.Title(c.title); got.State != c.want || ok != (c.want != "") {
			t.Errorf("%s: the title %q says %q, %v; want %q", c.profile, c.title, got.State, ok, c.want)
		}
	}
}

// A session that was taken up again has turns; the state of the program is another matter.
func TestProgramsTellThatTheyResumed(t *testing.T) {
	set := must.Have(Builtin())(t)
	for _, name := range []string{"claude", "gemini", "qwen"} {
		p := must.Have(set.Find(name))(t)
		for event, want := range map[string]bool{
			"SessionStart:resume": true, "SessionStart:startup": false, "SessionStart:clear": false,
			"SessionStart": false,
		} {
			if got, ok := p.Reports.Signal(event); !ok || got.Resumed != want || got.State != "" {
				t.Errorf("%s: %s means %+v, %v", name, event, got, ok)
			}
		}
	}
	if _, ok := ParseSignal("resumed: why"); ok {
		t.Error("resumed takes a cause")
	}
}
