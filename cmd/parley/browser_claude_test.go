package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// claudePath returns a PATH with the newest Claude Code that build/agents has installed; without one the test is
// skipped.
func claudePath(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PARLEY_TEST_AGENTS")
	if dir == "" {
		t.Skip("Claude Code is NOT answered in a browser: PARLEY_TEST_AGENTS names no directory with the real " +
			"programs; make real does")
	}

	claude, node := "", ""
	for line := range strings.Lines(string(must.Have(os.ReadFile("../../build/agents.txt"))(t))) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		bin := filepath.Join(dir, f[0]+"-"+f[1], "node_modules", ".bin")
		if _, err := os.Stat(filepath.Join(bin, f[0])); err != nil {
			continue
		}
		switch {
		case f[0] == "claude" && claude == "": // the newest stands first
			claude = bin
		case f[0] == "node":
			node = bin
		}
	}
	if claude == "" {
		t.Skipf("Claude Code is NOT answered in a browser: it is not installed in %s; build/agents installs it", dir)
	}

	return claude + ":" + node
}

// The real Claude Code, at a scripted model, is answered from a phone: its questions are read with the whole command,
// what is tapped is what it gets, and a refusal is one.
func TestClaudeInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	path := claudePath(t)
	browser := testpage.Start(t)
	h := testhome.New(t)
	model := modelserver.Start()
	t.Cleanup(model.Close)

	const key = "a-key-of-twenty-char"
	for i, entry := range h.Env {
		if own, ok := strings.CutPrefix(entry, "PATH="); ok {
			h.Env[i] = "PATH=" + path + ":" + own
		}
	}
	h.Env = append(h.Env, "ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY="+key, "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "TMPDIR="+h.Dir)
	config := fmt.Sprintf(`{"hasCompletedOnboarding": true, "theme": "dark",
	"projects": {%q: {"hasTrustDialogAccepted": true}},
		"customApiKeyResponses": {"approved": [%q], "rejected": []}}`, h.Workspace, key)
	must.Do(t, os.WriteFile(filepath.Join(h.Dir, "h", ".claude.json"), []byte(config), 0o600))
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "ann", "--size", "120x40", "--", "claude",
		"--permission-mode", "default")

	x := testpage.SignIn(t, h, browser, 360, 740)
	ask := func(text string) {
		t.Helper()
		testhome.Run[parley.SendMessageResult](t, h, "send", "ann", "--", text)
		x.Goes("needs")
		x.Until("document.querySelector('[data-kind=dialog] .option')")
	}
	idle := func() bool {
		return testhome.Run[parley.AgentStatusResult](t, h, "agents", "ann").Agents[0].State == parley.StateIdle
	}
	answered := func() {
		t.Helper()
		x.Until("document.querySelector('.outcome')")
		must.Become(t, "Claude goes on", idle)
		x.Clean()
	}

	const gone = "!document.querySelector('[data-kind=dialog]')"
	allowed, refused := filepath.Join(h.Workspace, "allowed"), filepath.Join(h.Workspace, "refused")
	ask(`CALL Bash {"command":"touch ` + allowed + `","description":"make a file"}`)
	x.Shows("touch " + allowed)
	x.Fits("a question of Claude Code")
	x.Picture("claude-asks")
	x.Confirms("[data-kind=dialog]", "Yes", gone)
	answered()
	x.Picture("claude-answered")
	must.Become(t, "what was allowed is done", func() bool { _, err := os.Stat(allowed); return err == nil })

	ask(`CALL Bash {"command":"touch ` + refused + `","description":"make a file"}`)
	x.Shows("touch " + refused)
	x.Confirms("[data-kind=dialog]", "No", gone)
	answered()
	if _, err := os.Stat(refused); err == nil {
		t.Error("what was refused was done")
	}

	ask(`CALL AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`)
	x.Shows("Which colour?")
	x.Picture("claude-chooses")
	x.Confirms("[data-kind=dialog]", "Blue", gone)
	answered()
	x.Goes("agent/ann")
	x.Until(testpage.Screen + ".some(d => d.textContent.includes('Blue'))")
}
