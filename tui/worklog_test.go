package tui

import (
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

func TestAgentsShowWhenTheyWereAtWork(t *testing.T) {
	f := tableTeam()
	s := newScreen(t, f, 240, 30)
	s.press("2", "v") // in all of the window
	s.hides("work ")
	at := noon.Add(-5 * time.Minute)
	s.send(room.FeedMsg{At: noon, Events: []parley.Event{
		{Seq: 90_001, Type: parley.EventAgent, AgentID: f.agents[0].ID, Time: at, State: string(parley.StateBusy)},
		{Seq: 90_002, Type: parley.EventAgent, AgentID: f.agents[0].ID, Time: noon, State: string(parley.StateIdle)},
	}})
	s.shows("work ", "··········█")
}
