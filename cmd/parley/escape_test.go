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
	{"namespace", "unshare", "unshare -Ur setsid sh -c 'ORPHAN $$ CALL &' || CALL"},
	{"otheruser", "setpriv", "setpriv --reuid=65534 --clear-groups CALL || CALL"},
	{"named", "bash", "bash -c '(exec -a cron sh CALL)'"},
	{"login", "sshd", "ssh -o BatchMode=yes localhost CALL"},
	{"workspacesocket", "", "env -u PARLEY_SOCKET sh CALL"},
	{"daemonofitsown", "", "env -u PARLEY_SOCKET -u PARLEY_KEY sh -c 'parley serve & sleep 1; sh CALL'"},
}

// ways are those by which an agent without a sandbox can act as the operator, as docs/security.md lists them, and the
// tricks that take them. What the check cannot try has none.
var ways = []struct {
	words  string
	tricks []string
}{
	{"by a service of yours that runs something later or elsewhere: `at`, `cron`, `systemd-run`, D-Bus, ssh to this " +
		"machine, a build server, an editor with a socket", []string{"unit", "at", "atterminal", "atorphan", "login"}},
	{"by what it types into your own tmux", nil},
	{"by parley's database, or by a key that it finds in a script or an environment of yours", nil},
	{"by ending the daemon and taking its lock, its notes and its socket: your commands send what they have to say " +
		"there", nil},
	{"by ending the keeper, which `parley needs` and `parley doctor` tell", nil},
	{"on macOS, by a process that leaves its session and its environment", nil},
}

// TestDocsListWhatAnAgentCanDo checks that security.md names the ways word for word, and no other.
func TestDocsListWhatAnAgentCanDo(t *testing.T) {
	list := ""
	for _, w := range ways {
		list += "- " + w.words + "\n"
	}
	_, after, _ := strings.Cut(documents(t)["security.md"], "<!-- ways -->\n")
	if got, _, _ := strings.Cut(after, "<!-- /ways -->"); got != list {
		t.Errorf("docs/security.md lists\n%swant\n%s", got, list)
	}
}

// No trick, and no way that a service of the machine opens, leads out of a sandbox.
func TestNoTrickGetsOutOfASandbox(t *testing.T) {
	t.Parallel()
	if err := daemon.SandboxUsable(t.Context()); err != nil {
		t.Skip(err)
	}
	h := testhome.New(t)
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "victim")
	said := tryAll(t, h, []string{"boxed", "--sandbox"}, "env", "-u", "PARLEY_KEY", "-u", "PARLEY_AGENT", "-u",
		"PARLEY_AGENT_ID")
	for trick, text := range said {
		if strings.Contains(text, `"success":true`) {
			t.Errorf("%s: it printed %q", trick, text)
		}
	}
	if !strings.Contains(said["child"], `"`+string(parley.NotAuthorized)+`"`) {
		t.Errorf("a plain call printed %q, want that it is not the operator's", said["child"])
	}
}

// available reports whether the machine has what the trick needs.
func (k trick) available() bool {
	if k.needs == "" {
		return true
	}
	_, err := exec.LookPath(k.needs)
	if k.needs == "sshd" {
		return exec.Command("ssh", "-o", "BatchMode=yes", "localhost", "true").Run() == nil
	}
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
func tryAll(t *testing.T, h *testhome.Home, agent []string, env ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	script := "cd " + dir + "\n"
	var tried []string
	for _, k := range tricks {
		if k.available() {
			script += "{ " + k.write(t, h, dir) + "} || touch " + k.name + ".end\n" // where it cannot even begin
			tried = append(tried, k.name)
		}
	}

	path := filepath.Join(dir, "agent")
	must.Do(t, os.WriteFile(path, []byte(script+"exec sleep 1000\n"), 0o600))
	testhome.Run[parley.LaunchAgentResult](t, h, slices.Concat([]string{"launch"}, agent, []string{"--dir", dir, "--"},
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

	check := func(agent string, strangers, free []string, said map[string]string) {
		t.Helper()
		for trick, text := range said {
			want := `"` + string(parley.NotAuthorized) + `"`
			switch {
			case slices.Contains(strangers, trick):
				want = `"` + string(parley.Unauthenticated) + `"`
			case slices.Contains(free, trick):
				want = `"success":true`
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s: it printed %q, want %s", agent, trick, text, want)
			}
		}
	}

	check("careless", []string{"runshell", "window"}, []string{"unit"}, tryAll(t, h, []string{"careless"}))
	check("sly", []string{"runshell", "window", "setsid", "othertmux", "orphanterminal", "namespace"}, ways[0].tricks,
		tryAll(t, h, []string{"sly"}, "env", "-u", "PARLEY_KEY", "-u", "PARLEY_AGENT", "-u", "PARLEY_AGENT_ID",
			"-u", "PARLEY_SOCKET"))
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
	out := orphaned(t, h, script)
	if tried < 8 || strings.Contains(out, "FAILED") {
		t.Errorf("of %d commands:\n%s", tried, out)
	}
}

// Whatever cannot be traced to an agent is the operator's: cron, a container, an editor, also once agents have run.
// The record names the program, and a key of the operator's is given only at a terminal.
func TestOperatorNeedsNoTerminal(t *testing.T) {
	t.Parallel()
	if os.Getenv(parley.AgentIDVariable) != "" {
		t.Skip("the test runs in an agent's terminal")
	}
	h := testhome.New(t)
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "coder", "--profile", "generic", "--", "cat")
	testhome.Run[parley.StopAgentResult](t, h, "stop", "coder")
	testhome.Run[parley.ShutDownResult](t, h, "down")

	out := orphaned(t, h, `set -e; parley register visitor; parley send visitor hello; parley key issue visitor
parley log; ! parley key issue operator`)
	for _, want := range []string{"Message sent", "parley_", "(from ", "> parley)", "only at a terminal"} {
		if !strings.Contains(out, want) {
			t.Errorf("it printed %s, want %q in it", out, want)
		}
	}
}
