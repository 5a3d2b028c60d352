package orchestrator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestPaneThatTakesNoInputIsNotRetriedEndlessly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hold       string
		begin, end []string // of a tmux command on the pane
	}{
		{"takes no input", []string{"select-pane", "-d"}, []string{"select-pane", "-e"}},
		{"synchronize-panes", []string{"set-option", "-w", "synchronize-panes", "on"},
			[]string{"set-option", "-w", "synchronize-panes", "off"}},
	} {
		t.Run(c.hold, func(t *testing.T) {
			t.Parallel()
			te := newTeam(t)
			log := te.launch("coder", "quick", tmuxtest.Agent{})
			te.inState("coder", parley.StateIdle)
			te.tmuxRun(slices.Insert(c.begin, 2, "-t", te.pane("coder").ID())...)
			id := te.send("coder", "wait for me")
			te.held(id, c.hold)
			before := len(te.delivery(id).Steps)
			time.Sleep(3 * restful / 2)
			if after := len(te.delivery(id).Steps); after != before {
				t.Errorf("the ladder grew from %d to %d steps while nothing changed", before, after)
			}

			te.tmuxRun(slices.Insert(c.end, 2, "-t", te.pane("coder").ID())...)
			te.arrived(id)
			te.wantMessages(log, 1)
		})
	}
}

func TestAgentIsLetGoWhileSomeoneScrollsOverAPastedText(t *testing.T) {
	t.Parallel()
	te, u, coder, _ := adopted(t, framedWith(t, "settle: 1s"))
	pane := coder.Pane
	id := te.send("coder", "half way")
	tmuxtest.WaitFor(t, te.pane("coder"), shows(tmuxtest.Placeholder))
	u.run("copy-mode", "-t", pane)
	time.Sleep(1200 * time.Millisecond)
	began := time.Now()
	te.stop("coder")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}

	te.reach(id, parley.DeliveryUnconfirmed)
}

// strand sends a message to an agent that loses both Enters of it, so that its text stays in the
// composer.
func strand(t *testing.T, changes ...func(*Options)) (s *stage, id string) {
	t.Helper()
	s = newStage(t, tmuxtest.Agent{Deaf: 2}, append(changes, framedWith(t, "taken_within: 500ms"))...)
	id = s.send("coder", "hello")
	if d := s.reach(id, parley.DeliveryUnconfirmed); d.ReasonCode != parley.EndedStanding {
		t.Errorf("it ended %q (%s), want %q", d.ReasonCode, d.Reason, parley.EndedStanding)
	}
	return s, id
}

// ownTextNeed waits for the need of a text that stands in a terminal. The unconfirmed delivery is
// another need.
func (te *testTeam) ownTextNeed() (n parley.Need) {
	te.t.Helper()
	var all []parley.Need
	tmuxtest.Poll(te.t, func() bool {
		all = te.needs("")
		i := slices.IndexFunc(all, func(n parley.Need) bool { return n.Kind == parley.NeedDraft })
		if i >= 0 {
			n = all[i]
		}
		return i >= 0
	}, func() string { return fmt.Sprintf("the needs are %+v", all) })
	return n
}

func TestStrandedTextHoldsTheNextMessageAndNeedsTheOperator(t *testing.T) {
	t.Parallel()
	s, _ := strand(t)
	next := s.send("coder", "next")
	s.held(next, "parley's own text stands unsent")
	s.wantNeed(s.ownTextNeed(), "coder", "parley's own text stands unsent", "parley attach coder")
	s.press("Enter")
	s.reach(next, parley.DeliveryRead)
	s.wantMessages(2)
}

func TestRetryPressesTheEnterOfAStrandedText(t *testing.T) {
	t.Parallel()
	s, id := strand(t)
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(1)
	s.nothingNeeded()
}

func TestStrandedTextIsKnownToTheNextDaemon(t *testing.T) {
	t.Parallel()
	s, id := strand(t)
	s.restart()
	s.held(s.send("coder", "next"), "parley's own text stands unsent")
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(2)
}

// press sends keys to the agent's terminal without tmux seeing a client type them.
func (s *stage) press(keys ...string) {
	s.t.Helper()
	s.tmuxRun(append([]string{"send-keys", "-t", s.pane("coder").ID()}, keys...)...)
}
