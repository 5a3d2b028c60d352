package orchestrator

import (
	"context"
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
	"parley/orchestrator/team"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// talking adds a profile whose program reports its events.
func talking(t *testing.T) func(*Options) {
	return func(o *Options) {
		talker := `{extends: quick, taken_within: 300ms,
			reports: {Prompt: prompted, Done: idle, Ask: waiting, Compact: compacting, 'End:clear': '', End: ended}}`
		o.Profiles = must.Have(o.Profiles.With("talker", []byte(talker)))(t)
	}
}

// caller returns a context with an agent as the caller.
func (te *testTeam) caller(name string) context.Context {
	te.t.Helper()
	m := te.roster.ByName(name)
	return parley.WithCaller(context.Background(), parley.Caller{ID: m.ID, Name: m.Name})
}

// report reports as an agent while its courier is idle, so that the report is recorded at once.
func (te *testTeam) report(name string, req parley.ReportStateRequest) []string {
	te.t.Helper()
	func(m *team.Member) {
		m.Typing.Lock()
		defer m.Typing.Unlock()
	}(te.roster.ByName(name))
	return te.reportNow(name, req)
}

func (te *testTeam) reportNow(name string, req parley.ReportStateRequest) []string {
	te.t.Helper()
	res, err := op.ReportState.Call(te.caller(name), te, req)
	if err != nil {
		te.t.Fatalf("%s reports %+v: %v", name, req, err)
	}
	return res.Named
}

// unconfirmed sends to an agent that never reads, and returns the unconfirmed message.
func (te *testTeam) unconfirmed(name string) (id string) {
	te.t.Helper()
	te.launchDeaf(name, "talker", "sleep 1000")
	id = te.send(name, "did you get this?")
	te.reach(id, parley.DeliveryUnconfirmed)
	return id
}

func TestReportThatNamesAMessageProvesIt(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t))
	id := te.unconfirmed("deaf")
	te.launch("other", "talker", tmuxtest.Agent{})
	at := time.Now().Add(-time.Second).UTC().Truncate(time.Millisecond)
	prompt := parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}, At: &at}
	if named := te.report("other", prompt); len(named) != 0 {
		t.Errorf("another agent's report named %v", named)
	}
	if d := te.delivery(id); d.State != parley.DeliveryUnconfirmed {
		t.Fatalf("another agent's report made it %s", d.State)
	}

	te.roster.ByName("deaf").Reports.Forget()
	te.roster.ByName("deaf").Terminal().Started = time.Time{} // started before the report
	if named := te.report("deaf", prompt); len(named) != 1 || named[0] != id {
		t.Errorf("its report named %v, want %s", named, id)
	}

	d := te.delivery(id)
	if last := d.Steps[len(d.Steps)-1]; d.State != parley.DeliveryRead ||
		last.Evidence != "its own report (Prompt) names the message" {
		t.Errorf("delivery is %s by %+v, want read by the report", d.State, last)
	}

	if got := d.TurnStarted(); !got.Equal(at) {
		t.Errorf("the turn began at %v, want %v; steps %+v", got, at, d.Steps)
	}
	if got, ok := te.roster.ByName("deaf").NamedAt(parley.Short(id)); !ok || !got.Equal(at) {
		t.Errorf("it was named at %v (%v), want %v", got, ok, at)
	}
}

func TestReportCannotProveAMessageThatWasNotTyped(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t))
	te.launch("coder", "talker", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("select-pane", "-d", "-t", te.pane("coder").ID())
	id := te.send("coder", "not yet")
	te.held(id, "takes no input")
	if named := te.report("coder", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id),
		"00000000", "x"}}); len(
		named,
	) != 0 {
		t.Errorf("it named %v", named)
	}

	if d := te.delivery(id); d.State != parley.DeliveryHeld {
		t.Errorf("delivery is %s, want held", d.State)
	}
}

func TestTurnStartIsRecordedWithTheDeliveredMessage(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t))
	te.launch("coder", "talker", tmuxtest.Agent{})
	id := te.send("coder", "please rebase")
	te.arrived(id)
	named := parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}}
	te.report("coder", parley.ReportStateRequest{Event: "Done", MessageIDs: []string{parley.Short(id)}})
	before := te.delivery(id)
	if before.State != parley.DeliveryRead || !before.TurnStarted().IsZero() {
		t.Errorf("the end of a turn was taken for its start: %+v", before.Steps)
	}

	for range 2 { // the second one was queued by the program
		te.report("coder", named)
	}

	d := te.delivery(id)
	if d.State != parley.DeliveryRead || len(d.Steps) != len(before.Steps)+1 || d.TurnStarted().Before(d.Steps[0].At) {
		t.Errorf("delivery is %s with %+v, want read and one step more with the turn's start", d.State, d.Steps)
	}
}

// The hook that reports must not wait for a courier that is waiting for the screen.
func TestReportDoesNotWaitForTheCourier(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t))
	id := te.unconfirmed("deaf")
	m := te.roster.ByName("deaf")
	m.Typing.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		te.reportNow("deaf", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}})
	}()

	must.Come(t, "the report without the courier", done)

	if d := te.delivery(id); d.State != parley.DeliveryUnconfirmed {
		t.Errorf("delivery is %s while its courier is at it", d.State)
	}

	m.Typing.Unlock()
	te.reach(id, parley.DeliveryRead)
}

func TestReportedStateIsTheLastOne(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t))
	te.launch("coder", "talker", tmuxtest.Agent{})
	m := te.roster.ByName("coder")
	if r, ok := m.LastReport(); ok {
		t.Errorf("it reported %+v before it was asked", r)
	}

	const apart = 3 * time.Millisecond // what is closer counts as it comes
	start := time.Now()
	time.Sleep(9 * apart) // no report is from the future
	for i, step := range []struct {
		event, state string
		after        time.Duration
		want         parley.AgentState
		detail       string
	}{
		{"Prompt", "", 1, parley.StateBusy, ""},
		{"Unheard", "", 2, parley.StateBusy, ""}, // carries no state and changes none
		{"Ask", "", 4, parley.StateWaiting, ""},
		{"Prompt", "", 3, parley.StateWaiting, ""}, // late
		{"Compact", "", 5, parley.StateBlocked, "compaction"},
		{"Unheard", "idle", 6, parley.StateIdle, ""},
		{"End:clear", "", 7, parley.StateIdle, ""},
		{"End:exit", "", 8, parley.StateExited, ""},
	} {
		at := start.Add(step.after * apart)
		te.report("coder", parley.ReportStateRequest{Event: step.event, State: step.state, At: &at})
		if r, ok := m.LastReport(); !ok || r.State != step.want || r.Detail != step.detail {
			t.Errorf("%d %s: it is %s %q (%v), want %s %q", i, step.event, r.State, r.Detail, ok, step.want,
				step.detail)
		}
	}

	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"}))(t)
	if r, ok := m.LastReport(); ok {
		t.Errorf("what the program before said still counts: %+v", r)
	}

	te.report("coder", parley.ReportStateRequest{Event: "Done", At: &start})
	if r, ok := m.LastReport(); ok {
		t.Errorf("what the program before said came late and counts: %+v", r)
	}
}

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
			time.Sleep(3 * restful / 2) // the courier looks again
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
	time.Sleep(1200 * time.Millisecond) // longer than the profile lets a text settle
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
