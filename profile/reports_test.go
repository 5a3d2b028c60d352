package profile

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley"
)

// What tmux showed as the titles of the real programs' terminals.
func TestTitlesOfTheShippedProfiles(t *testing.T) {
	set, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
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
		{"gemini", "✦  Working… (w)                                                                 ", parley.StateBusy},
		{"gemini", "✦  Considering the tests (w)                                                    ", parley.StateBusy},
		{"gemini", "⏲  Working… (w)                                                                 ", parley.StateBusy},
		{"gemini", "✋  Action Required (w)                                                          ", parley.StateWaiting},
		{"gemini", "Gemini CLI (w)                                                                  ", ""}, // when its settings switch it off
		{"qwen", "Qwen - w", ""},
		{"qwen", "◐\ufe0e Qwen - w", parley.StateBusy},
		{"qwen", "✳\ufe0e Qwen - w", parley.StateWaiting},
		{"claude", "✳ Claude Code", ""}, // whatever it does
		{"copilot", "hello you - GitHub Copilot", ""},
		{"opencode", "OC | Greeting", ""},
	} {
		p, err := set.Find(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := p.Title(c.title); got.State != c.want || ok != (c.want != "") {
			t.Errorf("%s: the title %q says %q, %v; want %q", c.profile, c.title, got.State, ok, c.want)
		}
	}
}

// Codex runs a hook of the session unasked only if the hash of that very hook comes
// with it; else it asks whoever sits there, and waits.
func TestCodexIsHandedTheHashesOfItsHooks(t *testing.T) {
	p, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	codex, err := p.Find("codex")
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Join(codex.Handover.Args, "\n")
	hooks := regexp.MustCompile(`(\w+)=\[\{hooks=\[\{type="command",command=("(?:[^"\\]|\\.)*"),timeout=(\d+),async=(true|false)\}\]\}\]`).FindAllStringSubmatch(args, -1)
	if got, want := len(hooks), len(regexp.MustCompile(`trusted_hash=`).FindAllString(args, -1)); got == 0 || got != want {
		t.Fatalf("%d hooks and %d hashes in %s", got, want, args)
	}
	for _, hook := range hooks {
		event := strings.ToLower(regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(hook[1], "_$0"))
		sum := sha256.Sum256(fmt.Appendf(nil, `{"event_name":%q,"hooks":[{"async":%s,"command":%s,"timeout":%s,"type":"command"}]}`, event, hook[4], hook[2], hook[3]))
		if want := fmt.Sprintf(`"/<session-flags>/config.toml:%s:0:0"={trusted_hash="sha256:%x"}`, event, sum); !strings.Contains(args, want) {
			t.Errorf("its handover has no %s", want)
		}
		if _, ok := codex.Report(hook[1] + ":auto"); !ok {
			t.Errorf("its profile does not say what %s means", hook[1])
		}
	}
}
