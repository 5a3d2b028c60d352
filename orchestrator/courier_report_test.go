package orchestrator

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
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

	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the report waits for the courier")
	}

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
