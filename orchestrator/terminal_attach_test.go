package orchestrator

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// A person may have opened a window in an agent's session and left it there.
func TestAttachShowsTheAgentAndNotAPersonsWindow(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.tmuxRun("new-window", "-t", "=coder:", "cat")

	info := must.Have(op.GetAttachInfo.Call(te.operator(), te, parley.AttachInfoRequest{Agent: "coder"}))(t)
	attach := exec.Command(info.Command[0], slices.Insert(slices.Clone(info.Command[1:]), 0, "-C")...)
	until := must.Have(attach.StdinPipe())(t) // tmux detaches at its end
	must.Do(t, attach.Start())
	defer func() { must.Do(t, until.Close()); _ = attach.Wait() }()

	current, want := "", te.pane("coder").ID()
	tmuxtest.Poll(t, func() bool {
		out := must.Have(tmuxCommand(te, "display-message", "-p", "-t", "=coder:", "#{pane_id}").Output())(t)
		current = strings.TrimSpace(string(out))
		return current == want
	}, func() string { return "it shows " + current + ", want " + want })
}
