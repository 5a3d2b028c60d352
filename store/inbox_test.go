package store

import (
	"fmt"
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
