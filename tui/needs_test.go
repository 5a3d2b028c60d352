package tui

import (
	"testing"

	"parley"
)

func TestShowsThatMessagesArePaused(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 80, 24)
	s.hides("paused")
	f.paused = &parley.Pause{By: "operator", Since: noon}
	f.emit(parley.Event{Type: parley.EventCommunication, State: "paused"})
	s.news()
	s.shows("‖ paused by operator")
	s.fits("the pause")
	f.paused = nil
	f.emit(parley.Event{Type: parley.EventCommunication, State: "resumed"})
	s.news()
	s.hides("paused")
}
