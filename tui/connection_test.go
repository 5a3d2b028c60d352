package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"testing"

	"parley"
	"parley/tui/room"
)

func TestLostDaemonIsShownUntilItIsBack(t *testing.T) {
	s, f := newBusyScreen(t, 80, 24)
	s.press("b")
	s.typed("draft")
	s.blind = true
	s.send(room.FeedMsg{Err: gone, At: noon})
	s.shows("daemon gone, reconnecting…", "draft", "Plan for today")
	f.err = gone
	s.looks()
	s.shows("daemon gone, reconnecting…")
	f.err = nil
	f.say(30, "coder", []string{"tester"}, "back again", "normal", parley.DeliveryQueued)
	s.looks()
	s.hides("daemon gone")
	s.news()
	s.shows("back again", "draft")
}

func TestPermanentStreamErrorIsShown(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.send(
		room.FeedMsg{Err: parley.Errorf(parley.Unauthenticated, "this key is not known").Suggest("Log in again."),
			At: noon},
	)
	s.shows("✗ this key is not known → Log in again.")
	s.hides("daemon gone")
}

func TestHungDaemonCountsAsGone(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24)
	s.blind = true
	s.send(room.AgentsMsg{Err: fmt.Errorf("get_agent_status: %w", errDeadline)})
	s.shows("daemon gone")
}

func TestABeatLooksAtAllAgentsOnceSomethingHappened(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.send(room.TickMsg(noon))
	f.agents[0].Unread = 41
	s.send(room.BeatMsg(noon))
	if got := s.m.room.Team.Find(f.agents[0].ID).Unread; got == 41 {
		t.Error("all agents are looked at although nothing has happened")
	}
	if !s.m.same {
		t.Error("a beat draws although nothing has changed")
	}

	f.say(31, "coder", []string{"tester"}, "something", "normal", parley.DeliveryQueued)
	s.send(room.BeatMsg(noon))
	if got := s.m.room.Team.Find(f.agents[0].ID).Unread; got != 41 {
		t.Errorf("the agent has %d unread, want 41", got)
	}
}

func TestATeamAtRestIsLookedAtSeldom(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("2")
	f.agents[0].Unread = 41
	s.send(room.BeatMsg(noon))
	if got := s.m.room.Team.Find(f.agents[0].ID).Unread; got != 41 {
		t.Errorf("the agent has %d unread, want 41: a team at work is looked at with each beat", got)
	}

	for i := range f.agents {
		f.agents[i].State = parley.StateIdle
	}
	s.send(room.TickMsg(noon))
	f.agents[0].Unread = 42
	s.send(room.BeatMsg(noon))
	if got := s.m.room.Team.Find(f.agents[0].ID).Unread; got == 42 {
		t.Error("all agents are looked at although none is at work and nothing has happened")
	}
	if s.m.same {
		t.Error("a beat does not draw how long the agents have been idle")
	}
}

func TestABeatFindsALostDaemon(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.send(room.TickMsg(noon))
	f.err, s.blind = gone, true
	s.send(room.BeatMsg(noon))
	s.shows("daemon gone")
	f.err, s.blind = nil, false
	s.send(room.BeatMsg(noon))
	s.hides("daemon gone")
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keys := io.Pipe()
	defer keys.Close()

	f := busyTeam()
	asked := make(chan struct{})
	o := f.options()
	o.Follow = func(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
		close(asked)
		return f.follow(ctx, after)
	}

	go func() { <-asked; cancel() }()
	if _, err := Run(ctx, o, in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want %v", err, context.Canceled)
	}
}
