package orchestrator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// On the user's own tmux server, parley cannot hold back a person's keys.
func TestTextSubmittedWithAMessageIsReported(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	u.attach(120, 40)
	pane := u.pane()
	log := filepath.Join(t.TempDir(), "log")
	u.start(pane, tmuxtest.Agent{Log: log, Late: 2 * time.Second}.Argv()...)
	u.until("the agent composes",
		func() bool { return strings.Contains(u.run("capture-pane", "-p", "-t", pane), tmuxtest.Prompt) })

	u.adopt("coder", pane)
	te.inState("coder", parley.StateIdle)
	id := te.send("coder", "hello")
	u.until("it is entered", func() bool {
		return strings.HasSuffix(u.run("display-message", "-p", "-t", pane, "#{@parley_seq}"), ".2")
	})

	u.press("half a thought")
	d := te.reach(id, parley.DeliveryRead)
	if got := d.Steps[len(d.Steps)-2].Evidence; !strings.Contains(got, "“half a thought”") {
		t.Errorf("the evidence is %q", got)
	}
	if got := tmuxtest.WaitMessages(t, log, 1); !strings.HasSuffix(got[0].Text, ")half a thought") {
		t.Errorf("the agent got %+v, want theirs with ours", got)
	}

	tmuxtest.Poll(t, func() bool { return strings.Contains(te.told(), "“half a thought”") }, te.told)
}

// told returns the texts in the operator's inbox.
func (te *testTeam) told() string {
	te.t.Helper()
	res := must.Have(op.CheckInbox.Call(te.operator(), te, parley.CheckInboxRequest{IncludeRead: true}))(te.t)
	var all []string
	for _, m := range res.Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

// press sends keys to the person's terminal.
func (u *userTmux) press(text string) {
	u.t.Helper()
	if out, err := u.command(u.screens, "send-keys", "-l", text).CombinedOutput(); err != nil {
		u.t.Fatalf("press: %v: %s", err, out)
	}
}

// tmux keeps the time of a person's last key while they are attached. It is no reason to wait for
// hours when the clock was set back after it.
func TestAClockSetBackHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	})
	s.attach()
	s.reach(s.send("coder", "hello"), parley.DeliveryRead)
}

// The operator may say that what stands in a composer is no draft, and only by its exact text: it is left alone when it
// is another one, or has become another one, and nothing is submitted with it.
func TestADraftIsOverruledOnlyByItsExactText(t *testing.T) {
	t.Parallel()
	const ghost = `Try "fix the tests"`
	inSight := framedWith(t, "one_line: true") // the fake agent shows a placeholder in place of two lines
	s := newTeam(t, func(o *Options) { o.Settings.DraftAfter = time.Second }, inSight)
	log := s.launch("coder", "framed", tmuxtest.Agent{Ghost: ghost})
	s.inState("coder", parley.StateDrafting)
	overrule := func(id, text string) error {
		_, err := op.RetryDelivery.Call(s.operator(), s, parley.RetryDeliveryRequest{MessageID: id, Recipient: "coder",
			Draft: text})
		return err
	}

	id := s.send("coder", "hello")
	s.held(id, "draft")
	n := s.need(parley.NeedDraft)
	if want := `--to coder --over 'Try "fix the tests"'`; n.Draft != ghost || !offers(n, want) {
		t.Errorf("the need says %q, %+v, want %s", n.Draft, n.Acts, want)
	}
	for _, other := range []string{"Try", ghost + "!", " " + ghost} {
		if err := overrule(id, other); parley.ErrorCode(err) != parley.InvalidArgument ||
			parley.AsError(err).Details["draft"] != ghost {
			t.Errorf("%q: %v", other, err)
		}
	}
	if _, err := op.RetryDelivery.Call(s.operator(), s, parley.RetryDeliveryRequest{MessageID: id}); err != nil {
		t.Error(err)
	}
	s.held(id, "draft") // a retry alone overrules nothing
	s.wantMessages(log, 0)
	must.Do(t, overrule(id, ghost))
	if d := s.reach(id, parley.DeliveryRead); !strings.Contains(fmt.Sprint(d.Steps), "as the operator said") {
		t.Errorf("the evidence does not tell: %+v", d.Steps)
	}

	// It counted for that message. What a person types is another text.
	id = s.send("coder", "hello again")
	s.held(id, "draft")
	s.tmuxRun("send-keys", "-t", s.pane("coder").ID(), "-l", "half a thought")
	tmuxtest.WaitFor(t, s.pane("coder"), shows("half a thought"))
	if err := overrule(id, ghost); parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("a person has typed: %v", err)
	}

	// Even the operator's mistake submits nothing of theirs.
	must.Do(t, overrule(id, "half a thought"))
	s.wantMessages(log, 1)
	tmuxtest.WaitFor(t, s.pane("coder"),
		func(screen tmux.Screen) bool { return strings.Contains(screen.Text(), "half a thought[AGENT") })
	s.wantMessages(log, 1)
}
