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
	{"atterminal", "atd", "echo \"script -qec 'CALL' /dev/null\" | at now"},
	{"atorphan", "atd", "echo \"setsid sh -c 'ORPHAN \\$\\$ script -qec CALL /dev/null &'\" | at now"},
	{"unit", "systemd-run", "systemd-run --user 'CALL'"},
}

// available reports whether the machine has what the trick needs.
func (k trick) available() bool {
	if k.needs == "" {
		return true
	}
	_, err := exec.LookPath(k.needs)
	if k.needs == "atd" {
		return err == nil && isRunning("atd")
	}
	if k.needs == "systemd-run" {
		return err == nil && exec.Command("systemd-run", "--user", "--wait", "true").Run() == nil
	}
	return err == nil
}

// isRunning reports whether a program runs, by its name.
func isRunning(name string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/comm")
	return slices.ContainsFunc(files, func(file string) bool {
		b, _ := os.ReadFile(file)
		return strings.TrimSpace(string(b)) == name
	})
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
	call := file(k.name+".call", "env -u PARLEY_KEY PARLEY_DIR="+h.Workspace+" parley key issue victim "+
		"--json >"+out+" 2>&1\ntouch "+dir+"/"+k.name+".end\n")
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
	testhome.Run[parley.LaunchAgentResult](t, h, slices.Concat([]string{"launch", agent, "--"},
		env, []string{"sh", path})...)

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

	asked := []string{"runshell", "window", "unit"} // of a service, which runs it with another environment
	check("careless", asked, tryAll(t, h, "careless"))
	check("sly", append(asked, "at", "atterminal", "atorphan", "setsid", "othertmux", "orphanterminal"),
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

		if text, _ := os.ReadFile(filepath.Join(dir, k.name+".out")); !strings.Contains(string(text),
			`"success":true`) {
			t.Errorf("%s: it printed %q, want a key", k.name, text)
		}
	}
}

// orphaned runs a shell script that has lost its parent, its terminal and its session before its first line, and
// returns what it printed.
func orphaned(t *testing.T, h *testhome.Home, script string, env ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}

	body := file("body", script+"\ntouch "+dir+"/end\n")
	start := "sh " + file("orphan", orphan) + " $$ sh " + body + " >" + dir + "/out 2>&1 &"
	cmd := exec.Command("sh", "-c", start)
	cmd.Dir, cmd.Env = h.Workspace, slices.Concat(bareEnv(h), env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	waitFor(filepath.Join(dir, "end"))
	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	return string(out)
}

// eachOrphaned runs commands of the program one after the other, orphaned, and returns what each printed.
func eachOrphaned(t *testing.T, h *testhome.Home, commands []string) []string {
	t.Helper()
	const next = "====\n"
	script := ""
	for i, command := range commands {
		if i > 0 {
			script += "echo; printf '" + strings.TrimSpace(next) + "\\n'\n"
		}
		script += "parley " + command + "\n"
	}
	said := strings.Split(orphaned(t, h, script), next)
	if len(said) != len(commands) {
		t.Fatalf("%d commands printed %q", len(commands), said)
	}
	return said
}

// bareEnv returns a home's environment without the operator's key.
func bareEnv(h *testhome.Home) []string {
	return slices.DeleteFunc(slices.Clone(h.Env), func(v string) bool {
		return strings.HasPrefix(v, daemon.OperatorKey+"=")
	})
}

// The session of the README runs word for word where there is no terminal and no key, from the start of the daemon
// to its end, with agents.
func TestSessionOfTheREADMERunsWithoutATerminal(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	script, tried := "set -e\n", 0
	for _, block := range consoleBlock.FindAllStringSubmatch(documents(t)["README.md"], -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok && !interactive[command] {
				script += command + " || echo FAILED: $?\n"
				tried++
			}
		}
	}
	script = strings.Replace(script, "parley down", "parley key issue operator || echo FAILED: $?\nparley down", 1)

	out := orphaned(t, h, script)
	if tried < 8 || strings.Contains(out, "FAILED") || !strings.Contains(out, "parley_") {
		t.Errorf("of %d commands:\n%s", tried, out)
	}
}

// A process that may be what an agent left behind reads what the operator reads, changes nothing, and is told
// what it can do. With the operator's key it is the operator.
func TestStrangersReadAndChangeNothing(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	key := testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "operator").APIKey
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "coder", "--", "cat")
	id := testhome.Run[parley.SendMessageResult](t, h, "send", "coder", "please rebase").MessageID

	reads := []string{
		"agents", "status", "log", "needs", "find rebase", "message " + id, "explain " + id, "usage", "inbox",
		"key list", "terminal coder", "history coder operator", "answer coder", "__complete stop ''",
	}
	for i, out := range eachOrphaned(t, h, reads) {
		if strings.Contains(out, "cannot tell") || strings.TrimSpace(out) == "" {
			t.Errorf("parley %s: %s", reads[i], out)
		}
	}

	changes := []string{
		"send coder hello", "key issue coder", "launch other -- cat", "stop coder", "needs --dismiss " + id, "down",
		"retry " + id, "pause",
	}
	for i, out := range eachOrphaned(t, h, changes) {
		for _, want := range []string{"cannot tell", "parley register", "parley key issue operator", "ssh"} {
			if !strings.Contains(out, want) {
				t.Errorf("parley %s printed %q, want %q in it", changes[i], out, want)
			}
		}
	}

	if out := orphaned(t, h, "parley register visitor"); !strings.Contains(out, "parley_") {
		t.Errorf("a stranger registers: %s", out)
	}
	if out := orphaned(t, h, "parley send coder hello", "PARLEY_KEY="+key); !strings.Contains(out, "Message sent") {
		t.Errorf("with the operator's key: %s", out)
	}
}

// Once an agent has run since the machine was started, a restart of the daemon makes nobody the operator.
func TestStrangersStayStrangersAfterARestart(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "coder", "--", "cat")
	testhome.Run[parley.StopAgentResult](t, h, "stop", "coder")
	testhome.Run[parley.ShutDownResult](t, h, "down")

	if out := orphaned(t, h, "parley register visitor; parley key issue visitor"); !strings.Contains(out,
		"cannot tell") {
		t.Errorf("it printed %s", out)
	}
}
