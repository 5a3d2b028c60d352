package orchestrator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// userTmux is a tmux server like a user's: with custom options, bindings and hooks, several
// sessions, and attached terminals of different sizes.
type userTmux struct {
	*testTeam
	path, screens string // sockets of the user's server and of the one that provides their terminals
}

const userConfig = `
set -g status on
set -g mouse on
set -g base-index 1
set -wg automatic-rename off
set -g prefix C-a
set -g @colour teal
set -g destroy-unattached off
set -g default-terminal screen-256color
bind-key r display-message hello
set-hook -g after-new-window "display-message new"
`

func newUser(t *testing.T, te *testTeam) *userTmux {
	t.Helper()
	dir := filepath.Dir(tmuxtest.Options(t).Path) // short, and removed in the end
	u := &userTmux{testTeam: te, path: filepath.Join(dir, "user"), screens: filepath.Join(dir, "screens")}
	config := filepath.Join(dir, "conf")
	must.Do(t, os.WriteFile(config, []byte(userConfig), 0o600))

	t.Cleanup(func() {
		_ = u.command(u.path, "kill-server").Run() // some tests have killed it already
		_ = u.command(u.screens, "kill-server").Run()
	})

	u.run("-f", config, "new-session", "-d", "-s", "other", "-x", "90", "-y", "25", "cat")
	u.run("new-session", "-d", "-s", "work", "-x", "100", "-y", "30", "env", "PS1=prompt> ", "bash", "--norc", "-i")

	return u
}

func (u *userTmux) command(socket string, args ...string) *exec.Cmd {
	cmd := exec.Command(tmuxtest.Binary(), append([]string{"-S", socket}, args...)...)
	for _, kv := range append(os.Environ(), "TERM=xterm-256color", "SHELL=/bin/sh", "LANG=C.UTF-8", "HISTFILE=") {
		if !strings.HasPrefix(kv, "TMUX") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	return cmd
}

func (u *userTmux) run(args ...string) string {
	u.t.Helper()
	out, err := u.command(u.path, args...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// attach opens a terminal of a size on their session work.
func (u *userTmux) attach(width, height int) {
	u.t.Helper()
	before := strings.Count(u.run("list-clients")+"\n", "/dev/")
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height),
		"env", "-u", "TMUX", tmuxtest.Binary(), "-S", u.path, "attach-session", "-t", "=work"}
	if out, err := u.command(u.screens, args...).CombinedOutput(); err != nil {
		u.t.Fatalf("attach: %v: %s", err, out)
	}
	u.until("the terminal is attached",
		func() bool { return strings.Count(u.run("list-clients")+"\n", "/dev/") > before })
}

func (u *userTmux) until(what string, ok func() bool) {
	u.t.Helper()
	tmuxtest.Poll(u.t, ok, func() string {
		return "waiting until " + what + ":\n" + u.run("list-panes", "-a", "-F",
			"#{pane_id} #{session_name} #{pane_current_command} #{pane_dead}") +
			"\n" + u.run(
			"capture-pane",
			"-p",
			"-t",
			"work",
		)
	})
}

// start types a command line at the shell's prompt, as a person does, and returns its
// pane when the fake agent stands there.
func (u *userTmux) start(pane string, argv ...string) {
	u.t.Helper()
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	u.run("send-keys", "-t", pane, "-l", "--", strings.Join(words, " "))
	u.run("send-keys", "-t", pane, "Enter")
}

// agent starts a fake agent in their session and returns its pane and its log.
func (u *userTmux) agent(pane string) (log string) {
	u.t.Helper()
	log = filepath.Join(u.t.(*testing.T).TempDir(), "log")
	u.start(pane, tmuxtest.Agent{Log: log}.Argv()...)
	u.until("the agent composes",
		func() bool { return strings.Contains(u.run("capture-pane", "-p", "-t", pane), tmuxtest.Prompt) })
	return log
}

func (u *userTmux) pane() string { return u.run("display-message", "-p", "-t", "=work:", "#{pane_id}") }

// adopt makes an agent of what runs in a pane.
func (u *userTmux) adopt(name, pane string) *parley.AdoptAgentResult {
	u.t.Helper()
	res, err := u.terminals.AdoptAgent(u.operator(),
		parley.AdoptAgentRequest{Name: name, Profile: "framed", Pane: pane, Socket: u.path})
	if err != nil {
		u.t.Fatalf("adopt %s: %v", name, err)
	}
	return res
}

// adopted starts a team with an idle agent in the user's tmux, which was adopted as coder.
func adopted(t *testing.T, change ...func(*Options)) (
	te *testTeam, u *userTmux, coder *parley.AdoptAgentResult, log string,
) {
	t.Helper()
	te = newTeam(t, change...)
	u = newUser(t, te)
	pane := u.pane()
	log = u.agent(pane)
	coder = u.adopt("coder", pane)
	te.inState("coder", parley.StateIdle)
	return te, u, coder, log
}

// state returns everything that the user could notice, without the message log.
func (u *userTmux) state() string {
	u.t.Helper()
	var b strings.Builder
	for _, args := range [][]string{
		{"show-options", "-s"}, {"show-options", "-g"}, {"show-options", "-wg"},
		{"show-options", "-t", "work"}, {"show-options", "-t", "other"},
		{"show-options", "-w", "-t", "=work:"}, {"show-options", "-p", "-t", "=work:"},
		{"show-environment", "-g"}, {"show-environment", "-t", "work"}, {"show-hooks", "-g"}, {"list-keys"},
		{"list-sessions", "-F", "#{session_id} #{session_name} #{session_attached} #{session_windows} " +
			"#{session_last_attached} #{session_group}"},
		{"list-windows", "-a", "-F", "#{session_name} #{window_id} #{window_name} #{window_width}x#{window_height} " +
			"#{window_flags} #{window_layout}"},
		{"list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_width}x#{pane_height} #{pane_in_mode}"},
		{"list-clients", "-F", "#{client_name} #{client_session} #{client_width}x#{client_height} #{client_flags}"},
		{"list-buffers"},
	} {
		fmt.Fprintf(&b, "$ %s\n", strings.Join(args, " "))
		if out := u.run(args...); out != "" {
			b.WriteString(out + "\n")
		}
	}

	return b.String()
}

// ours drops the lines of parley's options.
func ours(state string) string {
	var kept []string
	for line := range strings.Lines(state) {
		if !strings.HasPrefix(line, "@parley_") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// A person can have made a session on parley's own server that bears an agent's name.
func TestAPersonsSessionIsLeftAlone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	te.tmuxRun("new-session", "-d", "-s", "writer", "sleep", "1000")

	launch := parley.LaunchAgentRequest{Name: "writer", Profile: "quick", Command: tmuxtest.Agent{}.Argv()}
	_, err := te.terminals.LaunchAgent(te.operator(), launch)
	wantCode(t, err, parley.AgentExists)
	te.tmuxRun("has-session", "-t", "=writer")
	if te.roster.ByName("writer") != nil {
		t.Error("the agent that was not launched is known")
	}

	te.tmuxRun("rename-session", "-t", "=writer", "mine")
	must.Have(te.terminals.LaunchAgent(te.operator(), launch))(t)

	te.tmuxRun("rename-session", "-t", "=coder", "another")
	te.tmuxRun("rename-session", "-t", "=mine", "coder")
	_, err = op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"})
	wantCode(t, err, parley.AgentExists)
	te.inState("coder", parley.StateIdle)

	te.stop("coder")
	te.tmuxRun("has-session", "-t", "=coder")
	if tmuxCommand(te, "has-session", "-t", "=another").Run() == nil {
		t.Error("the stopped agent's session is still there")
	}
}
