package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func TestInboxFilters(t *testing.T) {
	s := openWith(t, 4)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ids := make([]string, 6)
	for i := range ids {
		p := post([]int{0, 2, 0, 2, 0, 2}[i], 1)
		p.Message.Timestamp = begin.Add(time.Duration(i) * time.Minute)
		p.Message.Text = fmt.Sprint(i)
		if i == 3 {
			p.Message.Type, p.Message.ContextReference = parley.TypeRequest, "PAR-1"
		}
		if i == 4 {
			p.Message.Priority = parley.PriorityHigh
		}

		ids[i] = send(t, s, p).Message.ID
	}

	send(t, s, post(0, 3))
	if _, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), ids[:2], "test"); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name          string
		query         InboxQuery
		texts         string
		total, unread int
	}{
		{"all, newest first", InboxQuery{Limit: 10}, "543210", 6, 4},
		{"all, oldest first", InboxQuery{Limit: 10, OldestFirst: true}, "012345", 6, 4},
		{"a page", InboxQuery{Limit: 2}, "54", 6, 4},
		{"unread", InboxQuery{Limit: 3, UnreadOnly: true, OldestFirst: true}, "234", 6, 4},
		{"of one sender", InboxQuery{Limit: 10, Senders: []string{agentID(2)}}, "531", 3, 2},
		{"of two senders", InboxQuery{Limit: 10, Senders: []string{agentID(2), agentID(0)}}, "543210", 6, 4},
		{"of nobody known", InboxQuery{Limit: 10, Senders: []string{"x"}}, "", 0, 0},
		{"of a type", InboxQuery{Limit: 10, Types: []parley.MessageType{parley.TypeRequest, parley.TypeResponse}}, "3",
			1, 1},
		{"of a priority", InboxQuery{Limit: 10, Priority: parley.PriorityHigh}, "4", 1, 1},
		{"since", InboxQuery{Limit: 10, Since: begin.Add(time.Minute)}, "5432", 4, 4},
		{"about", InboxQuery{Limit: 10, ContextReference: "PAR-1"}, "3", 1, 1},
		{"unread of one sender", InboxQuery{Limit: 10, UnreadOnly: true, Senders: []string{agentID(0)}}, "42", 3, 2},
	} {
		c.query.RecipientID = agentID(1)
		page := must.Have(s.Inbox.Page(t.Context(), c.query))(t)

		texts := ""
		for _, item := range page.Items {
			texts += item.Message.Text
			if read := item.Message.Text < "2"; item.Read != read || item.Delivery.Steps != nil ||
				item.Delivery.MessageID != item.Message.ID {
				t.Errorf("%s: item %+v, want read: %t", c.name, item, read)
			}
		}

		if texts != c.texts || page.Total != c.total || page.Unread != c.unread {
			t.Errorf("%s: got %s, %d, %d, want %s, %d, %d", c.name, texts, page.Total, page.Unread, c.texts, c.total,
				c.unread)
		}
	}
}

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

func TestMarkReadKeepsQueuedMessageFromTerminal(t *testing.T) {
	s := openWith(t, 3)
	id := send(t, s, post(0, 1)).Message.ID
	other := send(t, s, post(0, 2)).Message.ID
	key := pending(t, s, 1)[0].Key
	marked, notFound, already, err := s.Inbox.MarkRead(t.Context(), agentID(1),
		[]string{id[:8], id, other, "short", "ffffffff"}, "get_messages")

	must.Do(t, err)
	if !slices.Equal(marked, []string{id}) || len(already) > 0 ||
		!slices.Equal(notFound, []string{other, "short", "ffffffff"}) {
		t.Errorf("got marked %v, not found %v, already %v", marked, notFound, already)
	}

	if err := s.Deliveries.Claim(t.Context(), key, 1, false); !errors.Is(err, ErrStale) {
		t.Errorf("Claim: got %v, want ErrStale", err)
	}

	d := delivery(t, s, id, 1)
	if d.State != parley.DeliveryRead || d.Steps[1].Evidence != "get_messages" {
		t.Errorf("got %+v", d)
	}
	if d := delivery(t, s, other, 2); d.State != parley.DeliveryQueued {
		t.Errorf("someone else's: got %+v", d)
	}
}

func TestMarkReadWhileTypingEndsAsRead(t *testing.T) {
	for _, end := range []parley.DeliveryState{"submitted", "queued", "unconfirmed", "read"} {
		t.Run(string(end), func(t *testing.T) {
			s := openWith(t, 2)
			id := send(t, s, post(0, 1)).Message.ID
			key := pending(t, s, 1)[0].Key
			must.Do(t, s.Deliveries.Claim(t.Context(), key, 1, false))
			if marked, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{id}, "get_messages"); len(
				marked,
			) != 1 ||
				err != nil {
				t.Fatalf("MarkRead: got %v, %v", marked, err)
			}

			if d := delivery(t, s, id, 1); d.State != parley.DeliveryTyping {
				t.Errorf("while it is typed: got %s", d.State)
			}

			must.Do(t, s.Deliveries.Advance(t.Context(), key, Change{State: end}))
			if d := delivery(t, s, id, 1); d.State != parley.DeliveryRead || len(pending(t, s, 1)) != 0 {
				t.Errorf("in the end: got %+v", d)
			}
		})
	}
}

func TestIgnoredMessageIsInAgentLog(t *testing.T) {
	s := openWith(t, 2)
	stored := must.Have(s.Messages.Append(t.Context(), post(0, 1)))(t)
	must.Have(s.Inbox.Ignore(t.Context(), agentID(1), stored.Message.ID[:8], "only thanks"))(t)
	log := agentLog(t, s, 1)
	if want := `{"message_id":"` + stored.Message.ID + `","reason":"only thanks"}`; log[len(log)-1].Details != want {
		t.Errorf("the log is %+v, want %s at its end", log, want)
	}
}
