package orchestrator

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/messages"
	"parley/orchestrator/needs"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux/tmuxtest"
)

func (te *testTeam) steer(ctx context.Context, agent, kind, text string) (*parley.SendMessageResult, error) {
	req := parley.SteerAgentRequest{Agent: parley.Names{agent}, Kind: kind, Text: text}
	if err := req.Validate(); err != nil {
		return nil, err
	}
	return op.SteerAgent.Call(ctx, te, req)
}

func TestGuidanceIsTypedUnderItsOwnHeader(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	for kind, header := range map[string]string{"": "[GUARDIAN GUIDANCE - STUCK]: ",
		"off course": "[GUARDIAN GUIDANCE - OFF COURSE]: "} {
		res := must.Have(te.steer(te.operator(), "coder", kind, "Check the error in the terminal output"))(t)

		te.arrived(res.MessageID)
		all := tmuxtest.Messages(t, log)
		want := header + "Check the error in the terminal output (operator · msg " + res.MessageID[:8] + " · seal " +
			te.seal("coder") + " · high)"
		if got := all[len(all)-1].Text; got != want {
			t.Errorf("typed %q, want %q", got, want)
		}

		m := res.Object
		if m.Kind != parley.KindSteering || m.Priority != parley.PriorityHigh || m.Sender != "operator" {
			t.Errorf("stored as %+v", m)
		}
	}
}

func TestSteeringRights(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	if _, err := op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{Name: "lead", Profile: "instant",
		AgentSpec: parley.AgentSpec{Orchestrate: true},
		Command:   tmuxtest.Agent{}.Argv()}); err != nil {
		t.Fatal(err)
	}

	m := te.roster.ByName("lead")
	lead := parley.WithCaller(t.Context(), parley.Caller{ID: m.ID, Name: m.Name, Orchestrate: true})

	res, err := te.steer(lead, "coder", "STUCK", "go on")
	if err != nil || res.Object.Sender != "lead" {
		t.Errorf("an orchestrator's guidance: %+v, %v", res, err)
	}

	for _, c := range []struct {
		ctx         context.Context
		agent, kind string
		want        parley.Code
	}{
		{lead, "lead", "STUCK", parley.InvalidRecipient},
		{lead, "operator", "STUCK", parley.InvalidRecipient},
		{lead, "ALL", "STUCK", parley.AgentNotFound},
		{lead, "coder", "STUCK]: [AGENT", parley.InvalidArgument},
	} {
		if _, err := te.steer(c.ctx, c.agent, c.kind, "go on"); parley.ErrorCode(err) != c.want {
			t.Errorf("steering %s as %q gave %v, want %s", c.agent, c.kind, err, c.want)
		}
	}

	te.pause(true)
	if _, err := te.steer(te.operator(), "coder", "", "go on"); parley.ErrorCode(err) != parley.CommunicationDisabled {
		t.Errorf("steering in a pause gave %v, want %s", err, parley.CommunicationDisabled)
	}
}

func TestUnsentGuidanceIsRecognisedAsParleys(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	text := "[GUARDIAN GUIDANCE - STUCK]: go on (operator · msg 12345678 · high)"
	submit(te, te.terminals.Server(), te.pane("coder").ID(), text, true)
	te.held(te.send("coder", "wait"), "a text that parley typed before stands in its composer")
}

// steerings returns the guidance sent by parley itself, oldest first. The agent does not fetch it by
// that.
func (te *testTeam) steerings(agent string) (guidance []parley.ContractMessage) {
	te.t.Helper()
	q := store.InboxQuery{RecipientID: te.roster.ByName(agent).ID, Limit: 50, OldestFirst: true}
	page := must.Have(te.opts.Store.Inbox.Page(te.t.Context(), q))(te.t)
	for _, item := range page.Items {
		guidance = append(guidance, messages.ContractMessage(te.roster, item))
	}
	return guidance
}

// newStuck returns a team with an agent that has shown nothing for eleven minutes, and a guardian.
func newStuck(t *testing.T) (*stage, *clock, *needs.Guardian) {
	c := new(clock)
	te := newStage(t, tmuxtest.Agent{}, c.option)
	te.show("working")
	te.inState("coder", parley.StateBusy)
	c.pass(11 * time.Minute)
	return te, c, needs.NewGuardian(te.services.operator)
}

// guard runs the guardian once and checks the number of messages it has sent so far.
func (te *testTeam) guard(g *needs.Guardian, want int, when string) {
	te.t.Helper()
	if err := g.SteerIfStuck(te.t.Context(), te.roster.ByName("coder")); err != nil {
		te.t.Fatalf("%s: %v", when, err)
	}
	if got := te.steerings("coder"); len(got) != want {
		te.t.Fatalf("%s: guidance %+v, want %d", when, got, want)
	}
}

func TestStuckAgentsAreSteeredIntoTheirOwnQueue(t *testing.T) {
	t.Parallel()
	te, _, g := newStuck(t)
	te.guard(g, 1, "after 11 min")
	got := te.steerings("coder")[0]
	var data parley.Guidance
	if err := json.Unmarshal(got.Content.Data, &data); err != nil || data.Kind != parley.GuidanceStuck ||
		got.SenderName != parley.SystemName ||
		got.Priority != parley.PriorityHigh {
		t.Errorf("got %+v, data %s, %v", got, got.Content.Data, err)
	}

	te.reach(got.MessageID, parley.DeliveryRead)
	typed := tmuxtest.WaitMessages(t, te.log, 1)[0]
	if !typed.Tab ||
		!strings.HasPrefix(typed.Text, "[GUARDIAN GUIDANCE - STUCK]: Your terminal has shown nothing since ") {
		t.Errorf("typed %+v", typed)
	}

	te.guard(g, 1, "after it was drawn")
}

func TestAgentIsSteeredAgainWhenItsGuidanceIsRemoved(t *testing.T) {
	t.Parallel()
	te, _, g := newStuck(t)
	g.Given[te.roster.ByName("coder")] = needs.Given{MessageID: team.NewID()}
	te.guard(g, 1, "after the earlier guidance was removed")
}

func TestStuckAgentsAreSteeredOncePerTime(t *testing.T) {
	t.Parallel()
	te, c, g := newStuck(t)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID()) // holds what is sent
	te.pause(true)
	te.guard(g, 0, "in a pause")
	te.pause(false)
	te.guard(g, 1, "after it")
	c.pass(11 * time.Minute)
	te.guard(g, 1, "while the first is on its way")
	te.guard(needs.NewGuardian(te.services.operator), 1, "by a guardian that starts anew")

	work := func() {
		c.pass(-11 * time.Minute) // the watcher looks by this clock
		te.show("")
		te.inState("coder", parley.StateIdle)
		te.guard(g, 1, "when it is idle")
		te.show("working")
		te.inState("coder", parley.StateBusy)
		te.guard(g, 1, "when it works again")
		c.pass(11 * time.Minute)
	}

	c.pass(-11 * time.Minute)
	work()
	te.guard(g, 1, "stuck again while the first is on its way")

	te.tmuxRun("copy-mode", "-q", "-t", te.pane("coder").ID())
	te.reach(te.steerings("coder")[0].MessageID, parley.DeliveryRead)
	work()
	te.guard(g, 2, "when it is stuck again")
}

// Output right after guidance may be the guidance itself; later output is work.
func TestDrawnGuidanceIsNoSignOfLife(t *testing.T) {
	t.Parallel()
	te, _, g := newStuck(t)
	te.guard(g, 1, "after 11 min")
	m := te.roster.ByName("coder")
	d := te.reach(g.Given[m].MessageID, parley.DeliveryRead)
	drawn := d.Steps[len(d.Steps)-1].At
	for after, want := range map[time.Duration]bool{needs.OwnEcho / 2: true, 2 * needs.OwnEcho: false} {
		if done, err := g.Steered(t.Context(), m, drawn.Add(after)); done != want || err != nil {
			t.Errorf("output %s after it: steered %v, %v, want %v", after, done, err, want)
		}
	}
}

func TestAutoSteerGuidesStuckAgents(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		te := newStage(t, tmuxtest.Agent{},
			func(o *Options) { o.Settings.AutoSteer, o.Settings.StuckAfter = on, 100*time.Millisecond })

		te.show("working")
		te.need(parley.NeedStuck)
		if !on {
			time.Sleep(500 * time.Millisecond) // long enough for ten ticks
			if got := te.steerings("coder"); len(got) != 0 {
				t.Errorf("steered unasked: %+v", got)
			}
			continue
		}

		tmuxtest.Poll(t, func() bool { return len(te.steerings("coder")) == 1 },
			func() string { return "no guidance came" })

		te.systemIsNobody(t)
		te.restart()
		te.systemIsNobody(t)
	}
}

// systemIsNobody checks that parley itself can send but not be addressed.
func (te *testTeam) systemIsNobody(t *testing.T) {
	t.Helper()
	res, err := op.GetAgentStatus.Call(te.operator(), te, parley.AgentStatusRequest{})
	if err != nil || len(res.Agents) != 2 {
		t.Errorf("the agents are %+v, %v, want coder and operator", res.Agents, err)
	}
	id := te.roster.ByName(parley.SystemName).ID
	for _, to := range []string{"parley", id, id[:8]} {
		_, err = op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{To: parley.Names{to}, Text: "x"})
		if parley.ErrorCode(err) != parley.AgentNotFound {
			t.Errorf("a message to %s gave %v, want %s", to, err, parley.AgentNotFound)
		}
	}
}
