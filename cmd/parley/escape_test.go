package main

import (
	"cmp"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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

// sly is a command without what names an agent in its environment.
var sly = []string{"env", "-u", "PARLEY_KEY", "-u", "PARLEY_AGENT", "-u", "PARLEY_AGENT_ID", "-u", "PARLEY_SOCKET"}

// No trick, and no way that a service of the machine opens, leads out of a sandbox, but for what is left open.
func TestNoTrickGetsOutOfASandbox(t *testing.T) {
	t.Parallel()
	if err := daemon.SandboxUsable(t.Context()); err != nil {
		t.Skip(err)
	}
	s := newTrickStage(t)
	overNetwork := slices.DeleteFunc(slices.Clone(tricks), func(k trick) bool {
		return k.name != "child" && k.inside != "loopback"
	})
	for network, rows := range map[string][]trick{"shared": tricks, "none": overNetwork} {
		got := s.try([]string{"boxed-" + network, "--sandbox", "--network", network}, rows, sly[:7]...)
		for _, k := range rows {
			want := k.inside != "" && (k.inside != "loopback" || network == "shared")
			if o, ok := got[k.name]; ok && o.isIn != want {
				t.Errorf("%s, with the network %s: it gets in: %v, want %v: %s", k.name, network, o.isIn, want, o.text)
			}
		}
		if o := got["child"]; o.code != isAgent {
			t.Errorf("a plain call: %s, want that it is the agent's", o.text)
		}
	}
}

// Without a sandbox, a program that loses its parents, on purpose or not, must not become the operator. As far as it
// can be told, it stays the agent that it is. What gets in is what the docs say.
func TestTricksWithoutASandbox(t *testing.T) {
	t.Parallel()
	s := newTrickStage(t)
	for _, agent := range []string{"careless", "sly"} {
		wants, rows, env := map[string]string{}, []trick(nil), []string(nil)
		for _, k := range tricks {
			wants[k.name] = k.plain
			if agent == "sly" {
				wants[k.name], env = cmp.Or(k.sly, k.plain), sly
			}
			if wants[k.name] != "" {
				rows = append(rows, k)
			}
		}
		for name, o := range s.try([]string{agent}, rows, env...) {
			if want := wants[name]; o.code != want && !(o.isIn && isWay(want)) {
				t.Errorf("%s, %s: it is %q (%v), want %q: %s", agent, name, o.code, o.isIn, want, o.text)
			}
		}
	}
}

func isWay(key string) bool {
	return slices.ContainsFunc(ways, func(g gap) bool { return g.key == key })
}

// outcomeOf is what came of a trick.
type outcomeOf struct {
	code string // isAgent, stranger or refused
	isIn bool   // it reached what it was to reach
	text string // what was printed
}

// trickStage is a workspace with all that an agent could want: a neighbour, a repository, and what is the user's.
type trickStage struct {
	*testhome.Home
	t    *testing.T
	vars map[string]string // by which the scripts of tricks name it
}

func newTrickStage(t *testing.T) *trickStage {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the tricks are those of Linux")
	}
	s := &trickStage{testhome.New(t), t, map[string]string{}}
	s.Env = append(s.Env, "SECRET=shh")
	s.git("init", "-q", "-b", "main")
	s.git("config", "user.name", "T")
	s.git("config", "user.email", "t@example.org")
	s.git("commit", "-q", "--allow-empty", "-m", "one")
	s.git("branch", "victim")
	testhome.Run[parley.RegisterAgentResult](t, s.Home, "register", "victim")
	neighbour := testhome.Run[parley.LaunchAgentResult](t, s.Home, "launch", "neighbour", "--worktree", "--", "cat")
	status := testhome.Run[parley.WorkspaceStatusResult](t, s.Home, "status")

	outsider := exec.Command("sleep", "1000")
	outsider.Env = []string{"OUTSIDE=a password"}
	must.Do(t, outsider.Start())
	t.Cleanup(func() { _ = outsider.Process.Kill(); _ = outsider.Wait() })
	operators := filepath.Join(s.Dir, "operators")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", operators, "kill-server").Run() })
	must.Do(t, exec.Command("tmux", "-S", operators, "-f", "/dev/null", "new-session", "-d", "cat").Run())

	memory := must.Have(os.MkdirTemp("/dev/shm", "parley"))(t)
	t.Cleanup(func() { os.RemoveAll(memory) })
	abstract := filepath.Base(memory)
	port := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { port.Close() })
	local := must.Have(net.Listen("unix", "@"+abstract))(t)
	t.Cleanup(func() { local.Close() })

	home, run := filepath.Join(s.Dir, "h"), filepath.Join(s.Dir, "r")
	for _, secret := range []string{
		filepath.Join(home, ".ssh", "id_ed25519"), filepath.Join(run, "bus"), filepath.Join(neighbour.Dir, "secret"),
		filepath.Join(memory, "secret"),
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(secret), 0o700))
		must.Do(t, os.WriteFile(secret, []byte("secret"), 0o600))
	}
	state := filepath.Dir(filepath.Dir(status.Database))
	private := must.Have(filepath.Glob(filepath.Join(state, "*", neighbour.AgentID)))(t)
	s.vars = map[string]string{
		"home": home, "run": run, "repo": s.Workspace, "common": filepath.Join(s.Workspace, ".git"),
		"neighbour": neighbour.Dir, "private": private[0], "memory": filepath.Join(memory, "secret"),
		"tty": must.Have(os.Readlink("/proc/" + strconv.Itoa(neighbour.PID) + "/fd/0"))(t), "tmux": operators,
		"panes": status.TmuxSocket, "database": status.Database, "http": status.HTTP,
		"outsider": strconv.Itoa(outsider.Process.Pid), "abstract": abstract,
		"port": strconv.Itoa(port.Addr().(*net.TCPAddr).Port),
	}
	return s
}

// found are the variables by which a call finds the workspace from anywhere.
func (s *trickStage) found() []string {
	return slices.DeleteFunc(slices.Clone(s.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name != "PARLEY_DIR" && name != "HOME" && !strings.HasPrefix(name, "XDG_")
	})
}

func (s *trickStage) git(words ...string) {
	s.t.Helper()
	cmd := exec.Command("git", words...)
	cmd.Dir, cmd.Env = s.Workspace, s.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %q: %v\n%s", words, err, out)
	}
}

// try launches an agent in a worktree whose program tries those tricks that the machine can, and returns what came of
// them by their names. env is a command that changes the program's environment.
func (s *trickStage) try(agent []string, rows []trick, env ...string) map[string]outcomeOf {
	s.t.Helper()
	begin := []string{"sh", "-c", "while [ ! -e tricks/go ]; do sleep 0.05; done; sh tricks/all; exec sleep 1000"}
	launched := testhome.Run[parley.LaunchAgentResult](s.t, s.Home, slices.Concat([]string{"launch"}, agent,
		[]string{"--worktree", "--"}, env, begin)...)
	dir := filepath.Join(launched.Dir, "tricks")
	must.Do(s.t, os.Mkdir(dir, 0o700))
	s.vars["gitdir"] = filepath.Join(s.Workspace, ".git", "worktrees", filepath.Base(launched.Dir))

	all, places := "", []string{}
	for name, value := range s.vars {
		all += "export " + name + "='" + value + "'\n"
		places = append(places, "$"+name, value)
	}
	all += "git commit -q --allow-empty -m mine\n"
	for _, k := range rows {
		if k.available() {
			all += k.write(s.t, s.found(), dir)
		}
	}
	must.Do(s.t, os.WriteFile(filepath.Join(dir, "all"), []byte(all+"touch tricks/end\n"), 0o600))
	must.Do(s.t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	waitFor(filepath.Join(dir, "end"))

	got := map[string]outcomeOf{}
	for _, k := range rows {
		if _, err := os.Stat(filepath.Join(dir, k.name)); err == nil {
			got[k.name] = k.outcome(dir, strings.NewReplacer(places...).Replace(k.made))
		}
	}
	return got
}

// write returns the lines of the shell that play a trick. What it prints is in the file name.out in dir, and name.rc
// has its status; its call, if it has one, writes both.
func (k trick) write(t *testing.T, home []string, dir string) string {
	t.Helper()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
		return path
	}

	path := filepath.Join(dir, k.name)
	end := " >" + path + ".out 2>&1\necho $? >" + path + ".rc\n"
	parley := must.Have(exec.LookPath("parley"))(t)
	call := file(k.name+".call", "env -u PARLEY_KEY "+strings.Join(home, " ")+" "+parley+" key issue victim --json"+end)
	file(k.name, strings.NewReplacer("CALL", call, "ORPHAN", file("orphan", orphan)).Replace(k.script)+"\n")
	if strings.Contains(k.script, "CALL") {
		return "sh " + path + " || echo 1 >" + path + ".rc\n" // where it cannot even begin
	}
	return "sh " + path + end
}

// outcome reads what came of a trick that was played in dir. made is the file that shows that it got in, or "".
func (k trick) outcome(dir, made string) outcomeOf {
	waitFor(filepath.Join(dir, k.name+".rc"))
	text, _ := os.ReadFile(filepath.Join(dir, k.name+".out"))
	status, _ := os.ReadFile(filepath.Join(dir, k.name+".rc"))
	o := outcomeOf{text: string(text), code: refused}
	for what, code := range map[string]parley.Code{isAgent: parley.NotAuthorized, stranger: parley.Unauthenticated} {
		if strings.Contains(o.text, `"`+string(code)+`"`) {
			o.code = what
			return o
		}
	}

	o.isIn = string(status) == "0\n"
	if made != "" {
		b, _ := os.ReadFile(made)
		o.isIn = len(b) > 0
		_ = os.Remove(made)
	}
	return o
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

// waitFor waits until a file exists, at most for patience.
func waitFor(path string) {
	for deadline := time.Now().Add(testhome.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
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
