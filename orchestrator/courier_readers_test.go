package orchestrator

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// A script of which the operator has said that it takes messages starts something else that reads the terminal.
// Nothing of a message reaches that, whatever it is called and however it asks.
func TestWhatAScriptStartsGetsNothing(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	renamed := filepath.Join(te.dir, "myagent")
	must.Do(t, os.WriteFile(renamed, must.Have(os.ReadFile(must.Have(exec.LookPath("bash"))(t)))(t), 0o700))
	inner := []string{"-S", filepath.Join(te.dir, "inner")}
	t.Cleanup(func() { _ = exec.Command(tmuxtest.Binary(), append(inner, "kill-server")...).Run() })
	const asks = `python3 -c 'input("`
	const relay = `python3 -c 'import pty; pty.spawn(["sh"])'`

	reasons := []parley.ReasonCode{parley.HoldOtherProgram, parley.HoldShell, parley.HoldQuestion}
	for name, line := range map[string]string{
		"shell": "sh -i", "bash": "bash --norc -i", "renamed": renamed + " --norc -i", "cat": "cat",
		"database": asks + `shop=> ")'`, "mysql": asks + `mysql> ")'`, "sign": asks + `> ")'`, "repl": "python3 -q",
		"password": asks + `password> ")'`, "question": asks + `Delete? [y/n] ")'`, "order": asks + `Type DROP\n> ")'`,
		"relay": relay, "script": "script -q -c sh /dev/null", "pipe": "cat | cat",
		"socat":  "socat - EXEC:sh,pty",
		"tmux":   tmuxtest.Binary() + " " + strings.Join(inner, " ") + " -f /dev/null new-session sh",
		"editor": "vim -u NONE -i NONE", "pager": "less /etc/passwd", "debugger": "python3 -m pdb -c c /dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(strings.Fields(line)[0]); err != nil {
				t.Skip(err)
			}
			req := parley.LaunchAgentRequest{
				Name: name, Profile: "generic", Command: []string{"sh", "-c", "unset TMUX; " + line + "; echo over"},
			}
			must.Have(op.LaunchAgent.Call(te.operator(), te, req))(t)
			id := te.send(name, "hello there")
			var d parley.Delivery
			held := func() bool {
				d = te.delivery(id)
				return slices.Contains(reasons, d.ReasonCode)
			}
			tmuxtest.Poll(t, held, func() string { return "it is " + string(d.State) + " for " + d.Reason })
			screen := must.Have(te.pane(name).Screen(t.Context(), tmux.ScreenOptions{}))(t)
			if strings.Contains(screen.Text(), "hello there") {
				t.Errorf("it was typed:\n%s", screen.Text())
			}
			te.stop(name)
		})
	}
}
