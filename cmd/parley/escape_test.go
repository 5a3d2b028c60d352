package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/tmux"
)

// orphan is a script that waits until the process $1, its parent, has ended, and then runs the rest.
const orphan = `parent=$1; shift
while [ "$(ps -o ppid= -p $$ | tr -d ' ')" = "$parent" ]; do sleep 0.02; done
exec "$@"
`

// trick is what a program does to call parley as somebody else. CALL issues a key.
type trick struct{ name, needs, script string }

// tricks are the ways to lose a parent, or to get a terminal. ORPHAN waits until its parent, $$, has ended.
var tricks = []trick{
	{"child", "", "CALL"},
	{"background", "", "sh -c 'ORPHAN $$ CALL &'"},
	{"nohup", "nohup", "sh -c 'nohup ORPHAN $$ CALL &'"},
	{"setsid", "setsid", "setsid sh -c 'ORPHAN $$ CALL &'"},
	{"doublefork", "", "sh -c 'sh -c \"ORPHAN \\$\\$ CALL &\" &'"},
	{"runshell", "", "tmux run-shell -b 'CALL'"},
	{"window", "", "tmux new-window -d 'CALL'"},
	{"othertmux", "", "tmux -L other new-session -d 'CALL'"},
	{"terminal", "script", "script -qec 'CALL' /dev/null </dev/null"},
	{"orphanterminal", "script", "setsid sh -c 'ORPHAN $$ script -qec \"CALL\" /dev/null </dev/null &'"},
	{"at", "atd", "echo 'CALL' | at now"},
	{"unit", "systemd-run", "systemd-run --user 'CALL'"},
}

// available reports whether the machine has what the trick needs.
func (k trick) available() bool {
	if k.needs == "" {
		return true
	}
	_, err := exec.LookPath(k.needs)
	if k.needs == "systemd-run" {
		return err == nil && exec.Command("systemd-run", "--user", "--wait", "true").Run() == nil
	}
	return err == nil
}

// write returns the shell script of a trick. Its call prints to the file name.out in dir, and makes name.end
// when it has ended.
func (k trick) write(t *testing.T, h *testhome.Home, dir string) string {
	t.Helper()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
		return path
	}

	out := filepath.Join(dir, k.name+".out")
	call := file(k.name+".call", "env -u PARLEY_KEY PARLEY_DIR="+h.Workspace+" parley key issue victim --json >"+out+" 2>&1\ntouch "+dir+"/"+k.name+".end\n")
	return strings.NewReplacer("CALL", call, "ORPHAN", file("orphan", orphan)).Replace(k.script) + "\n"
}

// tryAll launches an agent whose program tries every trick, and returns what each call printed, by the name of
// the trick. env is a command that changes the program's environment.
func tryAll(t *testing.T, h *testhome.Home, agent string, env ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	script := "cd " + dir + "\n"
	var tried []string
	for _, k := range tricks {
		if k.available() {
			script += k.write(t, h, dir)
			tried = append(tried, k.name)
		}
	}

	path := filepath.Join(dir, "agent")
	must.Do(t, os.WriteFile(path, []byte(script+"exec sleep 1000\n"), 0o600))
	testhome.Run[parley.LaunchAgentResult](t, h, slices.Concat([]string{"launch", agent, "--"}, env, []string{"sh", path})...)

	said := map[string]string{}
	for _, name := range tried {
		waitFor(filepath.Join(dir, name+".end"))
		text, _ := os.ReadFile(filepath.Join(dir, name+".out"))
		said[name] = string(text)
	}

	return said
}

// waitFor waits until a file exists, at most for patience.
func waitFor(path string) {
	for deadline := time.Now().Add(testhome.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
}

// A program that loses its parents, on purpose or not, must not become the operator. As far as it can be told,
// it stays the agent that it is.
func TestNobodyBecomesTheOperatorByLosingAParent(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "victim")

	check := func(agent string, strangers []string, said map[string]string) {
		t.Helper()
		for trick, text := range said {
			want := parley.NotAuthorized
			if slices.Contains(strangers, trick) {
				want = parley.Unauthenticated
			}
			if !strings.Contains(text, `"`+string(want)+`"`) {
				t.Errorf("%s, %s: it printed %q, want %s", agent, trick, text, want)
			}
		}
	}

	check("careless", []string{"runshell", "window", "at", "unit"}, tryAll(t, h, "careless"))
	check("sly", []string{"runshell", "window", "at", "unit", "setsid", "othertmux", "orphanterminal"},
		tryAll(t, h, "sly", "env", "-u", "PARLEY_KEY", "-u", "PARLEY_AGENT", "-u", "PARLEY_AGENT_ID"))

	if keys := testhome.Run[parley.ListKeysResult](t, h, "key", "list", "victim").Keys; len(keys) != 1 {
		t.Errorf("victim has %d keys, want the one from its registration", len(keys))
	}
}

// What the operator starts in a terminal is the operator's, without a key.
func TestOperatorIsKnownByATerminal(t *testing.T) {
	t.Parallel()
	if os.Getenv("PARLEY_AGENT_ID") != "" {
		t.Skip("the test runs in an agent's terminal")
	}
	h := testhome.New(t)
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "victim")
	dir := t.TempDir()

	for _, k := range tricks {
		if k.name != "terminal" && k.name != "othertmux" || !k.available() {
			continue
		}

		cmd := exec.Command("sh", "-c", k.write(t, h, dir))
		cmd.Dir, cmd.Env = h.Workspace, append(slices.Clone(h.Env), daemon.OperatorKey+"=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", k.name, err, out)
		}
		waitFor(filepath.Join(dir, k.name+".end"))

		if text, _ := os.ReadFile(filepath.Join(dir, k.name+".out")); !strings.Contains(string(text), `"success":true`) {
			t.Errorf("%s: it printed %q, want a key", k.name, text)
		}
	}
}

// A script without a terminal is told what to do, and works with the operator's key.
func TestScriptWithoutATerminalNeedsAKey(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	key := testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "operator").APIKey

	script := func(env string) string {
		cmd := h.Command("needs")
		cmd.Env = append(slices.Clone(h.Env), daemon.OperatorKey+"=", env)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}

	if out := script("PARLEY_KEY=" + key); strings.Contains(out, "parley:") {
		t.Errorf("with the operator's key: %s", out)
	}
	if hasTerminal() {
		t.Skip("the test has a terminal")
	}
	if out := script("A=b"); !strings.Contains(out, "parley key issue operator") {
		t.Errorf("without a key it printed %q, want how to get one", out)
	}
}

// hasTerminal reports whether this process can be traced back to a terminal.
func hasTerminal() bool {
	l, _ := tmux.LineageOf(os.Getpid())
	return slices.ContainsFunc(l.Line, func(p tmux.Process) bool { return p.TTY != "" })
}
