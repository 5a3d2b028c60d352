package orchestrator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// unknown is a program that generic knows nothing of, and what it shows when it is ready.
type unknown struct {
	name, needs, ready string
	command            []string
	held               parley.ReasonCode // "": the message is typed
}

// git runs git in a directory, without the user's own configuration.
func git(dir string, args ...string) []string {
	return append([]string{"git", "-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.org",
		"-c", "core.editor=vim -i NONE", "-c", "commit.gpgsign=false"}, args...)
}

func TestUnknownProgramsAreNotHarmed(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file := filepath.Join(te.dir, "file")
	must.Do(t, os.WriteFile(file, []byte("the first line\n"), 0o600))
	te.repository(filepath.Join(te.dir, "repository"))

	for _, u := range []unknown{
		{"pager", "less", "the first line", []string{"sh", "-c", "less " + file + "; true"}, parley.HoldOtherProgram},
		{"editor", "vim", "the first line", []string{"sh", "-c", "vim -u NONE -i NONE " + file + "; true"},
			parley.HoldOtherProgram},
		{"rebase", "vim", "pick ", git(filepath.Join(te.dir, "repository"), "rebase", "-i", "HEAD~1"),
			parley.HoldOtherProgram},
		{"secret", "bash", "Token:", []string{"bash", "-c", "read -s -p Token: x; echo; echo got $x; cat"},
			parley.HoldSecret},
		{"question", "bash", "[y/N]", []string{"bash", "-c", "read -p 'Go on? [y/N] ' x; echo got $x; cat"},
			parley.HoldQuestion},
		{"python", "python3", ">>>", []string{"python3", "-q"}, ""},
		{"cat", "cat", "", []string{"cat", "-u"}, ""},
	} {
		t.Run(u.name, func(t *testing.T) {
			if _, err := exec.LookPath(u.needs); err != nil {
				t.Skipf("no %s here", u.needs)
			}
			te.leavesAlone(t, u)
		})
	}

	if text, err := os.ReadFile(file); err != nil || string(text) != "the first line\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// leavesAlone launches a program, sends it a message, and checks what becomes of that.
func (te *testTeam) leavesAlone(t *testing.T, u unknown) {
	req := parley.LaunchAgentRequest{Name: u.name, Profile: "generic", Command: u.command}
	must.Have(op.LaunchAgent.Call(te.operator(), te, req))(t)
	tmuxtest.WaitFor(t, te.pane(u.name), func(s tmux.Screen) bool { return tmuxtest.Shows(s, u.ready) })

	id := te.send(u.name, "hello there")
	if u.held == "" {
		if d := te.arrived(id); d.State != parley.DeliverySubmitted ||
			d.Steps[len(d.Steps)-1].Code != parley.ProofRead {
			t.Errorf("delivery is %s with %+v, want submitted and no more", d.State, d.Steps)
		}
		return
	}

	var d parley.Delivery
	tmuxtest.Poll(t, func() bool { d = te.delivery(id); return d.ReasonCode == u.held },
		func() string { return "it is " + string(d.State) + " for " + d.Reason })
	screen, err := te.pane(u.name).Screen(t.Context(), tmux.ScreenOptions{})
	if err != nil || strings.Contains(screen.Text(), "hello there") {
		t.Errorf("it was typed all the same (%v):\n%s", err, screen.Text())
	}

	if u.held != parley.HoldOtherProgram {
		te.inState(u.name, parley.StateWaiting)
	}
}

// repository makes a repository with two commits.
func (te *testTeam) repository(dir string) {
	te.t.Helper()
	for _, args := range [][]string{
		{"init", "-q", dir}, git(dir, "commit", "-q", "--allow-empty", "-m", "one")[1:],
		git(dir, "commit", "-q", "--allow-empty", "-m", "two")[1:],
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			te.t.Skipf("git %q: %v: %s", args, err, out)
		}
	}
}

// The operator's one retry settles that a program which shows nothing of what is typed takes messages.
func TestAProgramThatShowsNothingTakesMessagesAfterOneRetry(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	te := newTeam(t)
	got := filepath.Join(te.dir, "got")
	const program = "import os,sys,tty\ntty.setraw(0)\nprint('ready',end='\\r\\n',flush=True)\n" +
		"while True: open(sys.argv[1],'ab').write(os.read(0,4096))"
	req := parley.LaunchAgentRequest{Name: "silent", Profile: "generic", Command: []string{"python3", "-c", program,
		got}}
	must.Have(op.LaunchAgent.Call(te.operator(), te, req))(t)
	tmuxtest.WaitFor(t, te.pane("silent"), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })

	reach := func(id string, state parley.DeliveryState, code parley.ReasonCode) {
		t.Helper()
		var d parley.Delivery
		tmuxtest.Poll(t, func() bool {
			d = te.delivery(id)
			return d.State == state &&
				(code == "" || d.ReasonCode == code)
		},
			func() string { return "it is " + string(d.State) + " for " + d.Reason })
	}
	one, two := te.send("silent", "one"), te.send("silent", "two")
	reach(one, parley.DeliveryUnconfirmed, parley.EndedNotEntered)
	reach(two, parley.DeliveryHeld, parley.HoldUnsent)
	must.Have(op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: one}))(t)
	for _, id := range []string{one, two, te.send("silent", "three")} {
		reach(id, parley.DeliverySubmitted, "")
	}

	text := string(must.Have(os.ReadFile(got))(t))
	if n := strings.Count(text, "\r"); n != 3 {
		t.Errorf("the program was given %d lines, want 3: %q", n, text)
	}
}
