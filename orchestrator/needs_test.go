package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/needs"
	"parley/tmux/tmuxtest"
)

// clock runs with the machine's clock, ahead of it by a settable offset.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time       { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }
func (c *clock) option(o *Options)    { o.Now = c.now }

// dialog creates a file. While it exists, the agent shows a dialog.
func (te *testTeam) dialog() string {
	te.t.Helper()
	file := filepath.Join(te.dir, "dialog")
	must.Do(te.t, os.WriteFile(file, nil, 0o600))
	return file
}

func (te *testTeam) needs(dismiss string) []parley.Need {
	te.t.Helper()
	res := must.Have(op.GetNeeds.Call(te.operator(), te, parley.GetNeedsRequest{Dismiss: dismiss}))(te.t)
	if roots := parley.RootsAt(res.Needs); !slices.Equal(res.Matters, roots) || res.Matters == nil {
		te.t.Errorf("its matters are at %v, want %v", res.Matters, roots)
	}
	return res.Needs
}

// need waits until there is one need, of a kind, and returns it.
func (te *testTeam) need(kind parley.NeedKind) parley.Need {
	te.t.Helper()
	var got []parley.Need
	tmuxtest.Poll(te.t, func() bool { got = te.needs(""); return len(got) == 1 && got[0].Kind == kind },
		func() string { return fmt.Sprintf("the needs are %+v, want one: %s", got, kind) })

	// What parley does about the need can end it meanwhile.
	status, err := op.GetWorkspaceStatus.Call(te.operator(), te, parley.WorkspaceStatusRequest{})
	if want := parley.Matters(got); err != nil || status.Needs != want && len(te.needs("")) == 1 {
		te.t.Errorf("the status counts %+v, %v, want %d", status, err, want)
	}
	return got[0]
}

// story returns the story of a message as the operator reads it.
func (te *testTeam) story(id string) string {
	te.t.Helper()
	res := must.Have(op.ExplainMessage.Call(te.operator(), te, parley.ExplainMessageRequest{MessageID: id}))(te.t)
	return strings.Join(res.Story, "\n")
}

// offers reports whether one of the commands that a need offers has a text.
func offers(n parley.Need, text string) bool {
	return slices.ContainsFunc(n.Steps(false), func(s parley.NeedStep) bool {
		return strings.Contains(s.Command, text)
	})
}

func (te *testTeam) nothingNeeded() {
	te.t.Helper()
	var got []parley.Need
	tmuxtest.Poll(te.t, func() bool { got = te.needs(""); return len(got) == 0 },
		func() string { return fmt.Sprintf("the needs are %+v, want none", got) })
}

func (te *testTeam) wantNeed(n parley.Need, agent, text, command string) {
	te.t.Helper()
	if n.Agent != agent || n.AgentID != te.roster.ByName(agent).ID || !strings.Contains(n.Text, text) ||
		!strings.HasPrefix(n.Command, command) ||
		n.Action == "" ||
		n.Since.IsZero() {
		te.t.Errorf("got %+v, want %s: %q, %q", n, agent, text, command)
	}
}

func TestAnOpenDialogNeedsTheOperator(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	dialog := te.dialog()
	te.launch("coder", "framed", tmuxtest.Agent{Dialog: dialog})
	te.held(te.send("coder", "first"), "dialog")
	te.send("coder", "second")
	te.inState("coder", parley.StateWaiting)
	n := te.need(parley.NeedDialog)
	te.wantNeed(n, "coder", "a dialog is open in its terminal; 2 messages wait for it", "parley attach coder")
	if diff := cmp.Diff([]string{tmuxtest.DialogText}, n.Screen); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}

	// A notice is made without a look at the screen. The command shows the question, or says where
	// to answer it.
	noticed := must.Have(te.services.operator.All(t.Context()))(t)
	if len(noticed) != 1 || noticed[0].Command != "parley answer coder" ||
		!offers(noticed[0], "parley attach coder") {
		t.Errorf("a notice would tell %+v", noticed)
	}
	must.Do(t, os.Remove(dialog))

	te.nothingNeeded()
}

func TestLostAndEndedAgentsNeedTheOperator(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	must.Have(op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{Name: "brief",
		Command: []string{"sh", "-c", "echo no model found; exit 3"}}))(t)

	n := te.need(parley.NeedExited)
	te.wantNeed(n, "brief", "its program ended with status 3", "parley restart brief")
	if len(n.Screen) == 0 || n.Screen[0] != "no model found" {
		t.Errorf("screen %q, want its last words", n.Screen)
	}
	te.stop("brief")

	te.nothingNeeded()

	te.launch("coder", "quick", tmuxtest.Agent{})
	te.tmuxRun("kill-pane", "-t", te.pane("coder").ID())
	te.wantNeed(te.need(parley.NeedLost), "coder", "its terminal is gone", "parley restart coder")
}

func TestLostAdoptedAgentNeedsAdopting(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	u.agent(u.pane())
	u.adopt("coder", u.pane())
	te.inState("coder", parley.StateIdle)
	u.run("kill-server")
	n := te.need(parley.NeedLost)
	te.wantNeed(n, "coder", "gone", "parley adopt coder --pane ID")
	if !strings.Contains(n.Action, "parley leave coder") {
		t.Errorf("action %q does not name parley leave", n.Action)
	}
}

// An agent whose tmux hangs is still listed, without a screen.
func TestNeedsDoNotWaitForAHungTmux(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	u.agent(u.pane())
	u.adopt("theirs", u.pane())
	te.launch("mine", "framed", tmuxtest.Agent{Dialog: te.dialog()})
	te.inState("mine", parley.StateWaiting)
	te.inState("theirs", parley.StateIdle)
	m := te.roster.ByName("theirs")
	m.Changing.Lock() // keeps the watcher away
	defer m.Changing.Unlock()

	must.Do(t, te.roster.Records.SetState(t.Context(), m, parley.StateWaiting, "its screen shows a dialog", nil))

	server := must.Have(strconv.Atoi(u.run("display-message", "-p", "#{pid}")))(t)
	must.Do(t, syscall.Kill(server, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(server, syscall.SIGCONT) }()

	screens := map[string]int{}
	for _, n := range te.needs("") {
		screens[n.Agent] = len(n.Screen)
	}

	if diff := cmp.Diff(map[string]int{"mine": 1, "theirs": 0}, screens); diff != "" {
		t.Errorf("lines of the screens (-want +got):\n%s", diff)
	}
}

func TestSilentBusyAgentIsStuck(t *testing.T) {
	t.Parallel()
	var c clock
	te := newStage(t, tmuxtest.Agent{}, c.option)
	te.launch("idler", "framed", tmuxtest.Agent{})
	te.show("working on it")
	te.inState("coder", parley.StateBusy)
	if got := te.needs(""); len(got) != 0 {
		t.Errorf("at once: %+v, want none", got)
	}

	c.pass(9 * time.Minute)
	if got := te.needs(""); len(got) != 0 {
		t.Errorf("after 9 min: %+v, want none", got)
	}

	c.pass(90 * time.Second)
	n := te.need(parley.NeedStuck)
	te.wantNeed(n, "coder", "busy (its screen says that it works), without any output for 10 min",
		"parley attach coder")

	if diff := cmp.Diff([]string{"working on it", tmuxtest.Prompt}, n.Screen); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}

	for range 50 { // whatever the watcher is doing
		if got := te.needs(""); len(got) != 1 {
			t.Fatalf("the needs are %+v, want one all the time", got)
		}
	}

	if !offers(n, "parley steer coder") {
		t.Errorf("%+v does not name parley steer", n)
	}

	te.says("tool_use") // a sign of life
	if got := te.needs(""); len(got) != 0 {
		t.Errorf("after a report: %+v, want none", got)
	}

	c.pass(11 * time.Minute)
	te.need(parley.NeedStuck)
	te.show("")
	te.nothingNeeded()
}

func TestAgentThatRestsAtAnUnknownScreenNeedsTheOperator(t *testing.T) {
	t.Parallel()
	var c clock
	te := newStage(t, tmuxtest.Agent{}, c.option)
	te.show("working")
	te.inState("coder", parley.StateBusy)
	te.show(tmuxtest.HideComposer)
	te.inState("coder", parley.StateUnknown)
	te.nothingNeeded()
	c.pass(needs.UnknownAfter / 2)
	te.nothingNeeded()
	te.send("coder", "hello")
	te.wantNeed(te.need(parley.NeedDialog), "coder",
		"its screen shows something that parley does not know; a message waits for it", "parley answer coder")
}

func TestBlockedAgentsNeedTheOperator(t *testing.T) {
	t.Parallel()
	te := newStage(t, tmuxtest.Agent{})
	te.show("limit reached")
	n := te.need(parley.NeedBlocked)
	te.wantNeed(n, "coder", "its screen shows: usage limit", "parley attach coder")
	if diff := cmp.Diff([]string{"limit reached", tmuxtest.Prompt}, n.Screen); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

func TestIdleAgentsThatOweAnAnswerNeedTheOperator(t *testing.T) {
	t.Parallel()
	var c clock
	te := newTeam(t, c.option)
	te.launch("coder", "quick", tmuxtest.Agent{})
	planner, helper := te.as("planner"), te.as("helper")
	te.inState("coder", parley.StateIdle)
	ask := func(to string) string {
		res := te.sends(planner,
			parley.SendMessageRequest{To: parley.Names{to}, Text: "Which port?", Type: parley.TypeRequest})

		return res.MessageID
	}

	typed, stored := ask("coder"), ask("helper")
	te.arrived(typed)
	if got := te.needs(""); len(got) != 0 {
		t.Errorf("at once: %+v, want none", got)
	}

	c.pass(11 * time.Minute)
	got := te.needs("")
	if len(got) != 2 {
		t.Fatalf("needs %+v, want two", got)
	}

	for _, n := range got {
		name := map[string]string{typed: "coder", stored: "helper"}[n.MessageID]
		te.wantNeed(n, name,
			"owes planner an answer to message "+n.MessageID[:8]+", which it has had for 11 min: “Which port?”",
			"parley steer "+name)
	}

	te.sends(helper, parley.SendMessageRequest{To: parley.Names{"planner"}, Text: "8080"})

	te.need(parley.NeedOwesAnswer)
	if got := te.needs(typed[:8]); len(got) != 0 {
		t.Errorf("after dismissing: %+v, want none", got)
	}
}

// A busy agent may be working on the answer.
func TestBusyAgentsOweNothingYet(t *testing.T) {
	t.Parallel()
	var c clock
	te := newStage(t, tmuxtest.Agent{}, c.option)
	res := te.sends(te.operator(),
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "Which port?", Type: parley.TypeRequest})

	te.reach(res.MessageID, parley.DeliveryRead)
	te.show("working")
	te.inState("coder", parley.StateBusy)
	c.pass(11 * time.Minute)
	te.need(parley.NeedStuck) // and nothing else
	te.show("")
	te.need(parley.NeedOwesAnswer)
}

func TestUnconfirmedDeliveriesNeedTheOperatorUntilDismissed(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launchDeaf("coder", "quick", "sleep 1000")
	id := te.send("coder", "did you get this?")
	te.reach(id, parley.DeliveryUnconfirmed)
	n := te.need(parley.NeedUnconfirmed)
	te.wantNeed(n, "coder", "whether message "+id[:8]+" from operator arrived is not known: ", "parley explain "+id[:8])
	if n.MessageID != id || len(n.Screen) != 0 || !offers(n, "parley retry "+id[:8]+" --to coder") {
		t.Errorf("got %+v", n)
	}
	if got := te.needs(id); len(got) != 0 {
		t.Errorf("after dismissing: %+v, want none", got)
	}

	_, err := op.GetNeeds.Call(te.operator(), te, parley.GetNeedsRequest{Dismiss: "00000000"})
	if parley.ErrorCode(err) != parley.MessageNotFound {
		t.Errorf("dismissing what is not there gave %v, want %s", err, parley.MessageNotFound)
	}
}

func TestTheMostPressingNeedComesFirst(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launchDeaf("early", "quick", "sleep 1000")
	te.reach(te.send("early", "did you get this?"), parley.DeliveryUnconfirmed)
	te.launch("coder", "framed", tmuxtest.Agent{Dialog: te.dialog()})
	te.launch("lost", "quick", tmuxtest.Agent{})
	te.tmuxRun("kill-pane", "-t", te.pane("lost").ID())
	te.inState("coder", parley.StateWaiting)
	te.inState("lost", parley.StateUnreachable)
	var kinds []parley.NeedKind
	for _, n := range te.needs("") {
		kinds = append(kinds, n.Kind)
	}

	if diff := cmp.Diff([]parley.NeedKind{parley.NeedDialog, parley.NeedLost, parley.NeedUnconfirmed},
		kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestAProgramWithoutTheWordNeedsTheOperator(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.StuckAfter = time.Second })
	te.start(parley.LaunchAgentRequest{Name: "ops", Command: []string{"cat"}})
	te.inState("ops", parley.StateUnknown)
	te.nothingNeeded() // nothing waits for it
	id := te.send("ops", "echo hello")
	te.held(id, "cat reads its terminal")

	n := te.need(parley.NeedDialog)
	te.wantNeed(n, "ops",
		"cat reads its terminal, and you have not said that it takes messages; a message waits for it",
		"parley answer ops messages")
	if n.Dialog == nil || !slices.ContainsFunc(n.Dialog.Options, func(o parley.DialogOption) bool {
		return o.Label == "messages"
	}) {
		t.Fatalf("it offers %+v", n.Dialog)
	}

	say := parley.AnswerDialogRequest{Agent: "ops", Dialog: n.Dialog.ID, Choice: "messages"}
	must.Have(op.AnswerDialog.Call(te.operator(), te, say))(t)
	te.arrived(id)
	must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "ops", Forget: true}))(t)
	te.held(te.send("ops", "echo again"), "cat reads its terminal")
}

// A shell would run what is typed, in every terminal that ends in it: it never has the word.
func TestAShellNeverHasTheWord(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	for name, command := range map[string][]string{"bare": {"sh"}, "ends": {"sh", "-c", "true; exec sh"}} {
		te.start(parley.LaunchAgentRequest{Name: name, Profile: "generic", Command: command})
		te.inState(name, parley.StateUnknown)
		te.held(te.send(name, "echo hello"), "sh, a shell, reads its terminal")
	}
	n := te.need(parley.NeedStuck)
	if n.Dialog != nil || !offers(n, "parley attach") {
		t.Errorf("it offers %+v", n)
	}
}

func TestLeftoverDraftNeedsTheOperator(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{}, func(o *Options) { o.Settings.DraftAfter = time.Second })
	pane := s.pane("coder").ID()
	s.tmuxRun("send-keys", "-t", pane, "-l", "half")
	s.inState("coder", parley.StateDrafting)
	s.nothingNeeded() // nothing waits behind it
	id := s.send("coder", "hello")
	s.wantNeed(s.need(parley.NeedDraft), "coder", "an unsent draft stands in its composer; a message waits for it",
		"parley attach coder")

	s.tmuxRun("copy-mode", "-t", pane)
	s.held(id, "copy mode")
	s.wantNeed(s.need(parley.NeedDraft), "coder", "copy mode", "parley attach coder")
	s.tmuxRun("send-keys", "-t", pane, "-X", "cancel")
	s.tmuxRun("send-keys", "-t", pane, "Enter")
	s.reach(id, parley.DeliveryRead)
	s.nothingNeeded()
}
