package demoagent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/program/profile"
	"parley/tmux/tmuxtest"
)

// fakeTeam stands in for the daemon: it logs each call and answers.
// At the first look the reviewer is not there, and after the first broadcast the team has many agents.
type fakeTeam struct{}

func (fakeTeam) Do(_ context.Context, operation string, request any) (any, error) {
	n := record(operation, request)
	switch r := request.(type) {
	case parley.AgentStatusRequest:
		states := map[string]parley.AgentState{
			"coder": parley.StateIdle, "reviewer": parley.StateBusy, "tester": parley.StateIdle,
		}
		if n == 1 {
			states["reviewer"] = parley.StateExited
		}
		res := &parley.AgentStatusResult{}
		for name, state := range states {
			res.Agents = append(res.Agents, parley.AgentStatus{Agent: parley.Agent{Name: name, State: state}})
		}
		return res, nil
	case parley.BroadcastMessageRequest:
		if n > 3 { // the second one
			return &parley.BroadcastMessageResult{Message: "Message broadcast to 5 agent(s)"}, nil
		}
		return &parley.BroadcastMessageResult{Deliveries: []parley.Delivery{
			{Recipient: "coder", State: parley.DeliverySubmitted},
			{Recipient: "reviewer", State: parley.DeliveryHeld, Reason: "busy"},
		}}, nil
	case parley.SendMessageRequest:
		if r.Text == "refuse me" {
			return nil, parley.Errorf(parley.AgentNotFound, "there is no agent \"planner\"").
				Suggest("Call get_agent_status.")
		}
		return &parley.SendMessageResult{Deliveries: []parley.Delivery{
			{Recipient: "reviewer", State: parley.DeliverySubmitted},
		}}, nil
	case parley.CheckInboxRequest:
		return &parley.CheckInboxResult{TotalCount: 3, UnreadCount: 1}, nil
	}
	return nil, fmt.Errorf("no test expects %s", operation)
}

type call struct {
	Tool string
	Args map[string]any
}

// record logs a call and returns the number of calls so far.
func record(operation string, request any) int {
	line, _ := json.Marshal(map[string]any{"Tool": operation, "Args": request})
	f, err := os.OpenFile(os.Getenv("CALLS_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n'))
	text, _ := os.ReadFile(f.Name())
	return strings.Count(string(text), "\n")
}

func onTeam(t *testing.T, args ...string) (*agent, func() []call) {
	t.Helper()
	calls := t.TempDir() + "/calls"
	env := map[string]string{"CALLS_LOG": calls}
	a := start(t, [2]int{120, 40}, env, append(args, "--work", "1ms")...)

	return a, func() []call {
		text, _ := os.ReadFile(calls)
		var all []call
		for line := range strings.Lines(string(text)) {
			var c call
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			all = append(all, c)
		}

		return all
	}
}

func (a *agent) submit(text string) {
	a.t.Helper()
	a.waitComposer("")
	a.paste(text)
	a.wait(hasComposer(a))
	a.keys("Enter")
	a.waitComposer("")
}

func TestPlannerGathersTheTeamBeforeItSpeaks(t *testing.T) {
	t.Parallel()
	a, calls := onTeam(t, "--role", "planner")
	a.waitText("coder is idle, reviewer is busy, tester is idle")
	a.waitText("⎿ coder submitted, reviewer held (busy)")
	a.waitState(profile.Idle)
	a.submit("[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: On it: date parser first.\n(coder · msg 00000001)")
	a.waitText("⏺ Noted.")
	a.submit("[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: written and reviewed\n(coder · msg 00000002)")
	a.waitText("⎿ Message broadcast to 5 agent(s)")
	a.waitText("3 messages, 1 unread")
	var tools []string
	for _, c := range calls() {
		tools = append(tools, c.Tool)
	}

	want := []string{"get_agent_status", "get_agent_status", "broadcast_message", "broadcast_message", "check_inbox"}
	if !cmp.Equal(tools, want) {
		t.Errorf("got %q, want %q", tools, want)
	}
}

func TestCoderAnswersThePlanAndAsksForReview(t *testing.T) {
	t.Parallel()
	a, calls := onTeam(t, "--role", "coder")
	a.submit("[AGENT 1a2b3c4d BROADCAST]: Plan: coder writes it.\n(planner · msg 5f0c21aa · urgent · no answer needed)")
	tmuxtest.Poll(t, func() bool { return len(calls()) == 2 }, func() string { return cmp.Diff(calls(), nil) })
	got := calls()
	if got[0].Args["in_reply_to"] != "5f0c21aa" || !cmp.Equal(got[0].Args["to"], any([]any{"planner"})) {
		t.Errorf("the answer: %v", got[0])
	}
	if _, answers := got[1].Args["in_reply_to"]; answers || !cmp.Equal(got[1].Args["to"], any([]any{"reviewer"})) {
		t.Errorf("the request: %v", got[1])
	}

	a.waitText(`⏺ send_message → reviewer: "Please review`)
	a.waitText("⎿ reviewer submitted")
	a.submit("[AGENT 1a2b3c4d BROADCAST]: Done: the date parser is in. Nobody needs to answer this.\n" +
		"(planner · msg 5f0c21ab)")

	a.waitText("⏺ Noted.")
	if got := len(calls()); got != 2 {
		t.Errorf("got %d calls, want 2: it answered the end", got)
	}
}

func TestRuleAnswersAOneLineMessage(t *testing.T) {
	t.Parallel()
	a, calls := onTeam(t, "--on", "ping", "--reply", "pong")
	a.submit("[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: ping (planner · msg 5f0c21aa)")
	tmuxtest.Poll(t, func() bool { return len(calls()) == 1 }, func() string { return "no call" })
	if got, want := calls()[0].Args["text"], "pong"; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	a.submit("[PARLEY]: ping is not from an agent\n(parley · msg 5f0c21ab)")
	a.waitText("⏺ pong")
	if got := len(calls()); got != 1 {
		t.Errorf("got %d calls, want 1: it answered a notice", got)
	}
}

func TestPostIsAnsweredInItsThread(t *testing.T) {
	t.Parallel()
	a, calls := onTeam(t, "--on", "ping", "--reply", "pong")
	a.submit("[AGENT 1a2b3c4d IN THREAD 0badcafe \"dates\"]: ping\n(planner · msg 5f0c21aa)")
	a.waitText(`send_message → thread 0badcafe: "pong"`)
	tmuxtest.Poll(t, func() bool { return len(calls()) == 1 }, func() string { return "no call" })

	got := calls()[0].Args
	if _, direct := got["to"]; direct || got["thread_id"] != "0badcafe" || got["in_reply_to"] != "5f0c21aa" {
		t.Errorf("got %v, want a post to the thread", got)
	}
}

func TestRefusalIsShownWithItsNextStep(t *testing.T) {
	t.Parallel()
	a, _ := onTeam(t, "--on", "ping", "--reply", "refuse me")
	a.submit("[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: ping (planner · msg 5f0c21aa)")
	a.waitText(`⎿ failed: send_message: there is no agent "planner". Call get_agent_status.`)
	a.waitState(profile.Idle)
}

func TestDemoTalksInAChainWithAnEnd(t *testing.T) {
	t.Parallel()
	calls := 0
	sent := map[string]int{}
	for _, role := range []string{"planner", "coder", "reviewer"} {
		a, made := onTeam(t, "--role", role)
		a.waitState(profile.Idle)
		for _, from := range []string{"planner", "coder", "reviewer"} {
			if from != role {
				a.submit("[AGENT 1a2b3c4d BROADCAST]: Done: Nobody needs to answer this.\n(" + from +
					" · msg 5f0c21aa)")
			}
		}

		a.waitState(profile.Idle)
		for _, c := range made() {
			if slices.Contains([]string{"send_message", "broadcast_message"}, c.Tool) {
				calls++
				sent[role]++
			}
		}
	}

	if want := map[string]int{"planner": 1}; calls != 1 || !cmp.Equal(sent, want) {
		t.Errorf("the end was answered: got %v, want %v", sent, want)
	}
}
