package orchestrator

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// stopped suspends a process while f runs.
func stopped(t *testing.T, pid int, f func()) {
	t.Helper()
	if pid < 2 {
		t.Fatalf("process %d is no tmux server", pid)
	}
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	f()
}

// looksAt asks for an agent's terminal in both ways and checks that each error says that tmux
// does not answer, and what to do.
func (te *testTeam) looksAt(name, pid string) {
	te.t.Helper()
	_, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: name})
	_, attach := op.GetAttachInfo.Call(te.operator(), te, parley.AttachInfoRequest{Agent: name})
	for what, err := range map[string]error{"read": err, "attach": attach} {
		e := parley.AsError(err)
		if parley.ErrorCode(err) != parley.TmuxUnavailable || !strings.Contains(e.Message, "does not answer") ||
			!strings.Contains(e.Action, "kill -CONT "+pid) {
			te.t.Errorf("%s: got %v, %+v", what, err, e)
		}
	}
}

func TestHungTmuxIsReportedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	if te.terminals.AnswerTime != 10*time.Second {
		t.Errorf("a person waits for %s", te.terminals.AnswerTime)
	}

	te.terminals.AnswerTime = 100 * time.Millisecond
	te.launch("coder", "framed", tmuxtest.Agent{})
	pid, _, _ := strings.Cut(te.terminals.Server().Instance(), "/")
	n, _ := strconv.Atoi(pid)
	stopped(t, n, func() { te.looksAt("coder", pid) })
	te.terminals.AnswerTime = tmuxtest.Patience
	if _, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: "coder"}); err != nil {
		t.Errorf("once it goes on: %v", err)
	}
}

func TestHungUserTmuxIsReported(t *testing.T) {
	t.Parallel()
	te, u, _, _ := adopted(t)
	te.terminals.AnswerTime = 100 * time.Millisecond
	pid := u.run("display-message", "-p", "#{pid}")
	n, _ := strconv.Atoi(pid)
	stopped(t, n, func() { te.looksAt("coder", pid) })
}
