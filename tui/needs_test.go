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

func TestShowsWhatNeedsTheOperator(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 100, 40)
	s.shows("! 3 need you")
	if f.asked != 0 {
		t.Errorf("asked %d times for what nobody looks at", f.asked)
	}
	s.press("n")
	s.shows("Needs you", "lost  scout", "exited  planner", "│ panic: runtime error", "→ parley restart planner", "parley needs --dismiss 5f0c0006")
	s.hides("looking…")

	// The open page follows what happens.
	f.needs = f.needs[:1]
	f.need(parley.NeedDialog, "\x1b[31mcoder\u202e", "a dialog \x1b[2Jis open", "parley attach coder", "Answer it there.", "  ❯ 1. Yes\x1b[K")
	f.emit(parley.Event{Type: parley.EventAgent, AgentID: agentID("coder"), Agent: "coder", State: "waiting"})
	s.news()
	s.shows("dialog  [31mcoder", "│   ❯ 1. Yes", "lost  scout")
	s.hides("exited  planner", "\x1b[2J", "�")
	f.needs = nil
	s.send(tickMsg(noon))
	s.shows("Nothing needs you.")
	s.press("1")
	s.hides("Nothing needs you.", "need you")
	f.need(parley.NeedBlocked, "coder", "usage limit", "parley attach coder", "See there.")
	s.send(tickMsg(noon))
	s.shows("! 1 needs you")
}

func TestNeedsThatCannotBeReadSayWhy(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 80, 24)
	f.err = parley.Errorf(parley.Internal, "the database cannot be read").Suggest("Look into the log.")
	s.press("n")
	s.shows("the database cannot be read", "Look into the log.")
	f.err = nil
	s.send(tickMsg(noon))
	s.shows("lost  scout")
}
