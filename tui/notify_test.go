package tui

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

func letter(n, from, text string) parley.InboxMessage {
	return parley.InboxMessage{
		MessageID: n + "-1111-4111-8111-111111111111",
		Sender:    from,
		Content:   text,
		Timestamp: noon,
	}
}

// comes brings a message to the operator.
func (s *stage) comes(m parley.InboxMessage) {
	s.service.letters = append(s.service.letters, m)
	for i := range s.service.agents {
		if s.service.agents[i].Kind == parley.KindHuman {
			s.service.agents[i].Unread = len(s.service.letters)
		}
	}
	s.send(room.TickMsg(s.m.room.Now))
}

func TestRingsForNewMessagesAndNeeds(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 80, 24, func(o *Options) { o.Notify = room.Notify{Bell: true, Desktop: true} })
	s.send(room.TickMsg(noon))
	if len(s.rang) > 0 {
		t.Fatalf("rang %q for what was there before", s.rang)
	}

	s.comes(letter("aaaaaaaa", "coder", "look;\x1b]0;evil\a at\nthis"))
	want := "\a\x1b]9;parley: coder: look ]0 evil at this\a\x1b]777;notify;parley;coder: look ]0 evil at this\a"
	if len(s.rang) != 1 || s.rang[0] != want {
		t.Errorf("rang %q, want %q", s.rang, want)
	}

	s.send(room.TickMsg(noon))
	f.need(parley.NeedDialog, "coder", "a dialog is open", "parley attach coder", "Answer it.")
	s.send(room.TickMsg(noon))
	if len(s.rang) != 2 || !strings.Contains(s.rang[1], "1 thing needs you") {
		t.Errorf("rang %q, want once more for the dialog", s.rang)
	}

	f.needs = f.needs[:1]
	s.send(room.TickMsg(noon))
	if len(s.rang) != 2 {
		t.Errorf("rang %q for what is gone", s.rang)
	}
}

func TestRingFollowsTheSettings(t *testing.T) {
	for name, c := range map[string]struct {
		n    room.Notify
		want string
	}{
		"nothing":     {room.Notify{}, ""},
		"bell":        {room.Notify{Bell: true}, "\a"},
		"quiet":       {room.Notify{Bell: true, Quiet: room.QuietHours{From: 11 * time.Hour, To: 13 * time.Hour}}, ""},
		"over night":  {room.Notify{Bell: true, Quiet: room.QuietHours{From: 22 * time.Hour, To: 7 * time.Hour}}, "\a"},
		"after quiet": {room.Notify{Bell: true, Quiet: room.QuietHours{From: 9 * time.Hour, To: 12 * time.Hour}}, "\a"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, busyTeam(), 80, 24, func(o *Options) { o.Notify = c.n })
			s.comes(letter("aaaaaaaa", "coder", "look"))
			if got := strings.Join(s.rang, " "); got != c.want {
				t.Errorf("rang %q, want %q", got, c.want)
			}
		})
	}
}

func TestWindowTitleCountsNeeds(t *testing.T) {
	s, f := newBusyScreen(t, 80, 24)
	if got, want := s.m.View().WindowTitle, "(3) parley storefront"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	f.needs, f.letters, f.agents = nil, nil, nil
	s.send(room.TickMsg(noon))
	if got, want := s.m.View().WindowTitle, "parley storefront"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}
