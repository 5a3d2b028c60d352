package orchestrator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// prompted adds a profile whose program takes its first prompt as an argument, and reports it.
func prompted(t *testing.T) func(*Options) {
	return func(o *Options) {
		starter := `{extends: framed, programs: [` + filepath.Base(o.Executable) + `, robot],
			handover: {prompt: ['{{.Prompt}}']}, reports: {Prompt: prompted}}`
		o.Profiles = must.Have(o.Profiles.With("starter", []byte(starter)))(t)
	}
}

// startsWith launches a program with a first prompt, and returns the message and what the program logs.
func (te *testTeam) startsWith(a tmuxtest.Agent) (id, log string) {
	te.t.Helper()
	a.Log = filepath.Join(te.dir, "ann.log")
	res := must.Have(op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
		Name: "ann", Profile: "starter", Command: a.Argv(), Prompt: "Begin.\n\tThen go on.",
	}))(te.t)
	te.begun("ann")
	return res.PromptMessageID, a.Log
}

// reportsPrompt reports a message once it stands in the log, and returns its delivery when that is proven.
func (te *testTeam) reportsPrompt(id, log string) parley.Delivery {
	te.t.Helper()
	tmuxtest.Poll(te.t, func() bool {
		return slices.ContainsFunc(tmuxtest.Messages(te.t, log), func(m tmuxtest.Message) bool {
			return strings.Contains(m.Text, "msg "+parley.Short(id))
		})
	}, func() string { return "it never got " + id })
	te.reportNow("ann", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}})
	return te.reach(id, parley.DeliveryRead)
}

func TestFirstPromptIsAnArgumentAndToldOnce(t *testing.T) {
	t.Parallel()
	te := newTeam(t, prompted(t))
	dialog := filepath.Join(te.dir, "dialog")
	must.Do(t, os.WriteFile(dialog, nil, 0o600))
	id, log := te.startsWith(tmuxtest.Agent{Dialog: dialog})

	next := te.send("ann", "and this")
	te.held(next, "dialog")
	te.restart() // of the daemon
	d := te.delivery(id)
	if d.State != parley.DeliveryTyping || d.ReasonCode != parley.HoldArgument {
		t.Errorf("behind a dialog it is %s (%s), want it at typing", d.State, d.Reason)
	}

	must.Do(t, os.Remove(dialog))
	d = te.reportsPrompt(id, log)
	isReport := func(s parley.Step) bool { // of the courier, or of the program, whichever came first
		return s.Code == parley.ProofReport && strings.HasPrefix(s.Evidence, parley.AsArgument)
	}
	if !slices.ContainsFunc(d.Steps, isReport) {
		t.Errorf("it is proven by %+v", d.Steps)
	}
	te.reportsPrompt(next, log)

	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "ann"}))(t)
	te.begun("ann")
	te.reportsPrompt(te.send("ann", "after the restart"), log)

	var got []string
	for _, m := range tmuxtest.Messages(t, log) {
		got = append(got, m.Text)
	}
	m := must.Have(op.GetMessageStatus.Call(te.operator(), te, parley.MessageStatusRequest{MessageID: id}))(t).Object
	// Other users can read arguments.
	want := m.Header(d.RecipientID) + " Begin.\n    Then go on.\n" + m.Footer(false, "")
	if len(got) != 3 || got[0] != want || slices.Contains(te.roster.ByName("ann").Agent().Command, want) {
		t.Errorf("it was told %q, want first %q, then two messages", got, want)
	}
}

// Whether the program has what it was started with is not known where a crash came between.
func TestFirstPromptOfALostLaunchIsUnconfirmed(t *testing.T) {
	t.Parallel()
	te := newTeam(t, prompted(t))
	dialog := filepath.Join(te.dir, "dialog")
	must.Do(t, os.WriteFile(dialog, nil, 0o600))
	te.launch("ann", "starter", tmuxtest.Agent{Dialog: dialog})
	id := te.send("ann", "Begin.")
	te.held(id, "dialog")
	jobs := must.Have(te.store.Deliveries.Pending(t.Context(), te.roster.ByName("ann").ID, 1))(t)
	must.Do(t, te.store.Deliveries.ClaimArgument(t.Context(), jobs[0].Key))
	te.tmuxKill(t, "ann")
	te.restart() // of the daemon
	if d := te.reach(id, parley.DeliveryUnconfirmed); d.ReasonCode != parley.EndedArgumentSilent {
		t.Errorf("it is unconfirmed with %s (%s)", d.ReasonCode, d.Reason)
	}
}

// A program that did not start was told nothing.
func TestFirstPromptOfAFailedLaunchFails(t *testing.T) {
	t.Parallel()
	te := newTeam(t, prompted(t))
	robot := filepath.Join(te.dir, "robot")
	must.Do(t, os.WriteFile(robot, []byte("#!/nowhere\n"), 0o700))
	_, err := op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
		Name: "ann", Profile: "starter", Command: []string{robot}, Prompt: "Begin.",
	})
	counts := must.Have(te.store.Workspace.DeliveryCounts(t.Context()))(t)
	if err == nil || counts["failed"] != 1 || len(counts) != 1 {
		t.Errorf("the launch gives %v, and the deliveries are %v, want one that failed", err, counts)
	}
}
