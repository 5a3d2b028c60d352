package store

import (
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestPressingIsTheMostUrgentFirst(t *testing.T) {
	s := openWith(t, 2)
	send := func(p parley.Priority) string {
		message := post(0, 1)
		message.Message.Priority = p
		out := must.Have(s.Messages.Append(t.Context(), message))(t)

		return out.Message.ID
	}

	oldUrgent, oldHigh := send(parley.PriorityUrgent), send(parley.PriorityHigh)
	for range rankedUnread {
		send(parley.PriorityLow)
	}

	normal, low := send(parley.PriorityNormal), send(parley.PriorityLow)
	want := func(unread int, ids ...string) {
		t.Helper()
		items, n, err := s.Inbox.Pressing(t.Context(), agentID(1), 3)
		got := []string{}
		for _, item := range items {
			got = append(got, item.Message.ID)
		}

		if err != nil || n != unread || !slices.Equal(got[:len(ids)], ids) {
			t.Errorf("got %d, %v, %v, want %d, %v", n, got, err, unread, ids)
		}
	}

	want(rankedUnread+4, oldUrgent, normal, low)
	if _, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{oldUrgent, low, normal}, "read"); err != nil {
		t.Fatal(err)
	}

	want(rankedUnread + 1)
	_ = oldHigh // too old to be ranked
}
