package agents

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/testhome"
)

// realProgram is how a real agent program is made to talk to the scripted model. In its
// texts {URL} stands for the model's address and {WORKSPACE} for the workspace.
type realProgram struct {
	profile  string
	template string   // of its configuration, in testdata
	config   string   // path of the configuration in the home directory
	env      []string // added to the environment
	args     []string // added to its command line

	tool  string // its name for send_message; "" if it takes no tools for one run
	ask   string // a prompt that makes it ask for permission to make FILE; "" if it does not ask
	stop  string // the key with which a person refuses its question and ends its work; "": Escape
	fails []int  // HTTP statuses of the model after which it does not try again

	// asks is a part of the question that it asks at its first start, and fresh the template
	// of the configuration with which it asks that; "": none.
	asks, fresh string

	// distrusts is what to replace in its configuration, and by what, so that it asks whether it may
	// trust the directory; trusts is a part of the option that says so. "": it does not ask, as Codex, which
	// does so in its Agent Command Center alone.
	distrusts [2]string
	trusts    string

	// ownState says that it reads no configuration below a directory that others can
	// write, as /tmp is.
	ownState bool
}

var realPrograms = []realProgram{
	{
		profile: "claude", template: "claude.json", config: ".claude.json",
		env: []string{
			"ANTHROPIC_BASE_URL={URL}", "ANTHROPIC_API_KEY=a-key-of-twenty-char",
			"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
		args:  []string{"--permission-mode", "default"},
		tool:  "mcp__parley__send_message",
		ask:   `CALL Bash {"command":"touch FILE","description":"make a file"}`,
		fails: []int{500, 429, 529},
		asks:  "Yes, I trust this folder",
		fresh: "claude-fresh.json",

		distrusts: [2]string{`"hasTrustDialogAccepted": true`, `"hasTrustDialogAccepted": false`},
		trusts:    "Yes",
	},
	{
		profile: "codex", template: "codex.toml", config: ".codex/config.toml",
		env:  []string{"SCRIPTED_KEY=none"},
		tool: "mcp__parley__send_message",
		ask: `CALL exec_command {"cmd":"touch FILE","sandbox_permissions":"require_escalated",` +
			`"justification":"May I?"}`,
		fails: []int{401},
		asks:  "Sign in with ChatGPT",
	},
	{
		profile: "copilot", template: "copilot.json", config: ".copilot/config.json",
		env: []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL={URL}/v1",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=scripted",
		},
		tool:  "parley-send_message",
		ask:   `CALL bash {"command":"touch FILE","description":"make a file"}`,
		fails: []int{401, 500},
		asks:  "Confirm folder trust",

		distrusts: [2]string{`"{WORKSPACE}"`, `"/elsewhere"`},
		trusts:    "Yes",
	},
	{
		profile: "opencode", template: "opencode.json", config: ".config/opencode/opencode.json",
		env: []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		},
		tool:  "parley_send_message",
		ask:   `CALL bash {"command":"touch FILE","description":"make a file"}`,
		fails: []int{401},
	},
	{
		profile: "gemini", template: "gemini.json", config: ".gemini/settings.json", ownState: true,
		env:   []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL={URL}"},
		args:  []string{"--model", "gemini-2.5-flash"},
		tool:  "mcp_parley_send_message",
		ask:   `CALL run_shell_command {"command":"touch FILE","description":"make a file"}`,
		fails: []int{400},
		asks:  "Do you trust the files in this folder?",

		distrusts: [2]string{`"folderTrust": {"enabled": false}`, `"folderTrust": {"enabled": true}`},
		trusts:    "Trust folder",
	},
	{
		profile: "qwen", template: "qwen.json", config: ".qwen/settings.json",
		env:  []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL={URL}/v1", "OPENAI_MODEL=scripted"},
		args: []string{"--approval-mode", "default"},
		tool: "mcp__parley__send_message",
		ask: `CALL run_shell_command {"command":"touch FILE","description":"make a file",` +
			`"is_background":false}`,
		fails: []int{401},
		asks:  "Connect a Provider",
	},
	{
		profile: "pi", template: "pi.json", config: ".pi/agent/models.json",
		args:  []string{"--offline"},
		tool:  "mcp__parley__send_message",
		fails: []int{401},
	},
	{
		profile: "kilo", template: "kilo.json", config: ".config/kilo/kilo.json",
		env: []string{
			"KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_MODELS_FETCH=1", "KILO_DISABLE_LSP_DOWNLOAD=1",
		},
		tool:  "parley_send_message",
		ask:   `CALL bash {"command":"touch FILE","description":"make a file"}`,
		fails: []int{401},
	},
	{
		profile: "grok", template: "grok.toml", config: ".grok/config.toml",
		env: []string{
			"SCRIPTED_KEY=none", "GROK_DISABLE_AUTOUPDATER=1", "GROK_TELEMETRY_ENABLED=false",
		},
		tool:  "use_tool",
		ask:   `CALL run_terminal_command {"command":"curl -so FILE 127.0.0.1:9","description":"get a file"}`,
		stop:  "C-c",
		fails: []int{401},
	},
}

// refuse presses the key with which a person refuses its question, or ends its work.
func (s *onStage) refuse() {
	s.Helper()
	s.press(cmp.Or(s.program.stop, "Escape"))
}

// forget makes the program one that has never run: the user has been asked nothing yet, and
// has no key but Claude Code's, which does not start without one.
func (p realProgram) forget(t *testing.T, h *testhome.Home, url string) {
	t.Helper()
	if p.fresh != "" {
		p.template = p.fresh
		p.prepare(t, h, url)
	}
}

// prepare writes the user's configuration of the program, with something in it replaced, and adds to the
// environment.
func (p realProgram) prepare(t *testing.T, h *testhome.Home, url string, replace ...string) {
	t.Helper()
	text := string(must.Have(os.ReadFile(filepath.Join("testdata", p.template)))(t))
	text = strings.NewReplacer(replace...).Replace(text)

	fill := strings.NewReplacer("{URL}", url, "{WORKSPACE}", h.Workspace)
	configure(t, h, p.config, fill.Replace(text))
	for _, entry := range p.env {
		name, value, _ := strings.Cut(entry, "=")
		h.Env = append(h.Env, name+"="+fill.Replace(value))
	}

	if p.ownState {
		h.Env = append(h.Env, "XDG_STATE_HOME="+ownState(t, h))
	}
}

// ownState makes a state directory that lies below none that others can write to.
func ownState(t *testing.T, h *testhome.Home) string {
	t.Helper()
	cache := must.Have(os.UserCacheDir())(t)
	must.Do(t, os.MkdirAll(cache, 0o700)) // a new user has none
	for dir := cache; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if must.Have(os.Stat(dir))(t).Mode().Perm()&0o002 != 0 {
			t.Fatalf("others can write to %s, so the program would ignore parley's files in %s. Set HOME to another directory.", dir, cache)
		}
	}

	state := must.Have(os.MkdirTemp(cache, "parley-test-"))(t)

	t.Cleanup(func() {
		h.Command("down").Run() // a daemon that still runs would make it again
		os.RemoveAll(state)
	})

	return state
}
