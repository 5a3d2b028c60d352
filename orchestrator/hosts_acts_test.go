package orchestrator

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/notify"
	"parley/internal/setting"
	"parley/op"
	"parley/store"
	"parley/store/postgrestest"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// screenFrom returns what a host shows of an agent's screen.
func (te *testTeam) screenFrom(agent string) string {
	te.t.Helper()
	res := must.Have(op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: agent}))(te.t)
	return strings.Join(res.Lines, "\n")
}

func TestActsReachAgentsOfOtherHosts(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	ann.Orchestrator.rooms.elsewhere.SSH["bob"] = "robert@bob.example.org"

	// A launch over there runs there, in its workspace, with the variables of its daemon and those given.
	log, dialog := filepath.Join(bob.dir, "far.log"), filepath.Join(bob.dir, "dialog")
	must.Do(t, os.WriteFile(dialog, nil, 0o600))
	must.Do(t, os.Mkdir(filepath.Join(bob.dir, "below"), 0o700))
	program := tmuxtest.Agent{Log: log, Dialog: dialog}
	launched := must.Have(op.LaunchAgent.Call(ann.operator(), ann, parley.LaunchAgentRequest{
		Name: "far", Host: "bob", Profile: "framed", Command: program.Argv(), Dir: "below",
		Env: map[string]string{"ONLY_HERE": "1"}, Prompt: "begin",
	}))(t)
	if launched.Host != "bob" || launched.Dir != filepath.Join(bob.dir, "below") || launched.PromptMessageID == "" ||
		launched.Attach[0] != "ssh" || launched.Attach[3] != "robert@bob.example.org" {
		t.Errorf("launched %+v", launched)
	}
	if a := ann.inState("far", parley.StateWaiting); a.Host != "bob" || !a.Elsewhere {
		t.Errorf("ann knows it as %+v", a)
	}

	// Its dialog is seen and answered from here.
	tmuxtest.Poll(t, func() bool { return strings.Contains(ann.screenFrom("far"), tmuxtest.DialogText) },
		func() string { return ann.screenFrom("far") })
	var needs []parley.Need // which leave out a screen that comes late
	tmuxtest.Poll(t, func() bool {
		needs = must.Have(op.GetNeeds.Call(ann.operator(), ann, parley.GetNeedsRequest{}))(t).Needs
		return len(needs) == 1 && strings.Contains(needs[0].Text, ", on host bob") && needs[0].Dialog != nil &&
			slices.Contains(needs[0].Screen, tmuxtest.DialogText)
	}, func() string { return fmt.Sprintf("the operator is told %+v", needs) })
	must.Have(op.AnswerDialog.Call(ann.operator(), ann, parley.AnswerDialogRequest{Agent: "far"}))(t)
	must.Do(t, os.Remove(dialog))
	bob.inState("far", parley.StateIdle)
	ann.arrived(launched.PromptMessageID)
	bob.wantMessages(log, 1)

	info := must.Have(op.GetAttachInfo.Call(ann.operator(), ann, parley.AttachInfoRequest{Agent: "far"}))(t)
	if info.Host != "bob" || info.Command[0] != "ssh" || !strings.Contains(info.Command[4], info.Socket) ||
		!strings.HasPrefix(info.Command[4], "tmux -u ") {
		t.Errorf("attach from here: %+v", info)
	}
	there := must.Have(op.GetAttachInfo.Call(bob.operator(), bob, parley.AttachInfoRequest{Agent: "far"}))(t)
	if there.Host != "" || there.Command[0] == "ssh" {
		t.Errorf("attach from there: %+v", there)
	}

	// A forced retry passes what the program is blocked by.
	above := filepath.Join(bob.dir, "above")
	must.Do(t, os.WriteFile(above, nil, 0o600))
	blocked := bob.launch("blocked", "framed", tmuxtest.Agent{Above: above})
	ann.knows("blocked")
	must.Do(t, os.WriteFile(above, []byte("limit reached\n"), 0o600))
	bob.inState("blocked", parley.StateBlocked)
	id := ann.send("blocked", "despite the limit")
	ann.held(id, "limit")
	must.Have(op.RetryDelivery.Call(ann.operator(), ann, parley.RetryDeliveryRequest{MessageID: id}))(t)
	bob.wantMessages(blocked, 1)

	// The other host looks for itself what the asker may do.
	mail := parley.CallerFrom(ann.as("mail"))
	bob.knows("mail")
	answer := must.Have(ann.store.Relays.AskHost(t.Context(), store.Relay{
		Host: "bob", Operation: "stop_agent", Request: `{"agent":"far"}`, AskerID: mail.ID,
	}))(t)
	if !answer.Failed || !strings.Contains(answer.Text, string(parley.NotAuthorized)) {
		t.Errorf("an agent without the right is told %+v", answer)
	}

	// What fails there fails here in the same way.
	_, err := op.LaunchAgent.Call(ann.operator(), ann,
		parley.LaunchAgentRequest{Name: "x", Host: "bob", Command: []string{"/none"}})
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("a program that is not there: got %v", err)
	}
	_, err = op.LaunchAgent.Call(ann.operator(), ann,
		parley.LaunchAgentRequest{Name: "x", Host: "dora", Command: []string{"cat"}})
	if e := parley.AsError(err); e.Code != parley.InvalidArgument || e.Details["host"] != "dora" {
		t.Errorf("an unknown host: got %v", err)
	}

	again := must.Have(op.RestartAgent.Call(ann.operator(), ann, parley.RestartAgentRequest{Agent: "far",
		Dir: ann.dir}))(t)
	if again.Host != "bob" || again.PID == launched.PID {
		t.Errorf("restarted as %+v", again)
	}
	next := filepath.Join(bob.dir, "next.log")
	handed := must.Have(op.HandoffAgent.Call(ann.operator(), ann, parley.HandoffAgentRequest{
		Agent: "far", To: "instant", Command: tmuxtest.Agent{Log: next}.Argv(), Record: true,
	}))(t)
	if handed.Host != "bob" || handed.From != "framed" || handed.AgentID != launched.AgentID {
		t.Errorf("handed over as %+v", handed)
	}
	stopped := must.Have(op.StopAgent.Call(ann.operator(), ann, parley.StopAgentRequest{Agent: "far"}))(t)
	if stopped.Ended == 0 {
		t.Errorf("stopped as %+v", stopped)
	}
	ann.inState("far", parley.StateTerminated)
}

func TestHostThatKeepsToItselfRefusesActs(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann := hostOf(t, url, "ann")
	bob := newTeam(t, func(o *Options) {
		o.Store = openHost(t, url, "bob", o.Workspace)
		o.Settings.LocalActsOnly = true
	})
	bob.launch("bobby", "framed", tmuxtest.Agent{})
	ann.knows("bobby")

	_, err := op.ReadTerminal.Call(ann.operator(), ann, parley.ReadTerminalRequest{Agent: "bobby"})
	if e := parley.AsError(err); e.Code != parley.NotAuthorized || e.Details["host"] != "bob" {
		t.Errorf("got %v, want a refusal", err)
	}
	bob.screenFrom("bobby") // from here it may be read

	// A host that is away is not asked.
	bob.close()
	tmuxtest.Poll(t, func() bool { return ann.inState("bobby", parley.StateUnreachable).Evidence != "" },
		func() string { return "bobby is there" })
	_, err = op.StopAgent.Call(ann.operator(), ann, parley.StopAgentRequest{Agent: "bobby"})
	if parley.ErrorCode(err) != parley.AgentUnavailable {
		t.Errorf("got %v, want that the host is away", err)
	}
	bob.back(url, "bob")
}

func TestAWorkspaceInAFileHasOneHost(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	_, err := op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{Name: "x", Host: "bob",
		Command: []string{"cat"}})
	if e := parley.AsError(err); e.Code != parley.InvalidArgument || e.Details["host"] != "bob" {
		t.Errorf("got %v, want that there is no such host", err)
	}
	te.start(parley.LaunchAgentRequest{Name: "x", Host: "test", Command: []string{"cat"}})
}

// What only the host of an agent knows is told by that host, though another one has the duty to tell the operator.
func TestOperatorLearnsOfStuckAgentsOfEachHost(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	told := filepath.Join(t.TempDir(), "told")
	host := func(name, command string) *testTeam {
		return newTeam(t, func(o *Options) {
			o.Store = openHost(t, url, name, o.Workspace)
			o.Settings.StuckAfter = time.Second
			s := notify.Settings{Command: []string{"sh", "-c", command}}
			setting.Fill(&s)
			s.After = 0
			o.Away.Notifier = notify.New(notify.Options{Settings: s, Workspace: o.Workspace, Host: name,
				Getenv: os.Getenv,
				Env:    os.Environ(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		})
	}

	ann := host("ann", "true")
	tmuxtest.Poll(t, func() bool {
		return len(must.Have(postgrestest.Look[string](t.Context(),
			url, `SELECT value FROM facts WHERE name = 'duty_notices'`))(t)) > 0
	}, func() string { return "ann does not take the duty" })

	bob := host("bob", "cat >>"+told)
	above := filepath.Join(bob.dir, "above")
	must.Do(t, os.WriteFile(above, []byte("working on it\n"), 0o600))
	bob.launch("bobby", "framed", tmuxtest.Agent{Above: above})
	ann.knows("bobby")
	ann.inState("bobby", parley.StateBusy)

	text := func() string {
		b, _ := os.ReadFile(told) // it may not be there yet
		return string(b)
	}
	tmuxtest.Poll(t, func() bool { return strings.Contains(text(), "bobby") },
		func() string { return fmt.Sprintf("bob told %q, and needs %+v", text(), bob.needs("")) })
}
