package tui

import (
	"slices"
	"testing"
	"time"

	"parley"
)

func TestWorklogSumsUpWhenAnAgentWasAtWork(t *testing.T) {
	now := noon.Truncate(hourSpan).Add(2 * time.Minute)
	said := func(ago time.Duration, state parley.AgentState) parley.Event {
		return parley.Event{Type: parley.EventAgent, AgentID: "a", Time: now.Add(-ago), State: string(state)}
	}

	w := worklog{}
	w.take(said(3*time.Minute, parley.StateBusy)) // it goes on
	w.take(said(70*time.Minute, parley.StateBusy))
	w.take(said(52*time.Minute, parley.StateIdle))
	w.take(said(20*time.Minute, parley.StateBusy))
	w.take(said(13*time.Minute, parley.StateWaiting))
	w.take(parley.Event{Type: parley.EventDelivery, AgentID: "a", Time: now, State: string(parley.DeliveryRead)})

	want := []int{300, 0, 0, 0, 0, 0, 0, 180, 240, 0, 60, 120}
	status := func(id string, state parley.AgentState) *parley.AgentStatus {
		return &parley.AgentStatus{Agent: parley.Agent{ID: id, State: state, Since: now.Add(-3 * time.Hour)}}
	}
	if got := w.curve(status("a", parley.StateBusy), now); !slices.Equal(got, want) {
		t.Errorf("it worked %v seconds, want %v", got, want)
	}
	if got := w.curve(status("b", parley.StateIdle), now); slices.Max(got) != 0 {
		t.Errorf("nothing is known of it, and it worked %v", got)
	}

	// One that has worked for longer than the events tell.
	want = []int{300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 120}
	if got := w.curve(status("c", parley.StateBusy), now); !slices.Equal(got, want) {
		t.Errorf("it worked %v seconds, want %v", got, want)
	}
}

func TestAgentsShowWhenTheyWereAtWork(t *testing.T) {
	f := tableTeam()
	s := newScreen(t, f, 240, 30)
	s.press("2")
	s.hides("work ")
	at := noon.Add(-5 * time.Minute)
	s.send(feedMsg{at: noon, events: []parley.Event{
		{Seq: 90_001, Type: parley.EventAgent, AgentID: f.agents[0].ID, Time: at, State: string(parley.StateBusy)},
		{Seq: 90_002, Type: parley.EventAgent, AgentID: f.agents[0].ID, Time: noon, State: string(parley.StateIdle)},
	}})
	s.shows("work ", "··········█")
}
