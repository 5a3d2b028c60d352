package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestMessageByItsBeginning(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	ids := []string{
		"5f0c21aa-0000-4000-8000-000000000001",
		"5f0c21aa-0000-4000-8000-000000000002",
		"5f0c21ab-0000-4000-8000-000000000003",
	}

	for _, id := range ids {
		p := post(0, 1)
		p.Message.ID = id
		send(t, s, p)
	}

	for _, ref := range []string{ids[0], ids[1], ids[2], "5f0c21ab", "5F0C21AB-0000", strings.ToUpper(ids[1])} {
		if m, _, err := s.Message(t.Context(), ref); err != nil || !strings.HasPrefix(m.ID, strings.ToLower(ref)) {
			t.Errorf("%s: got %s, %v", ref, m.ID, err)
		}
	}

	for _, ref := range []string{"", "5f0c21a", "5f0c21aa", "5f0c21ac", "5f0c21a%", "________"} {
		_, _, err := s.Message(t.Context(), ref)
		wantCode(t, ref, err, parley.MessageNotFound)
	}
}

func TestInboxFilters(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)
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
	if _, _, _, err := s.MarkRead(t.Context(), agentID(1), ids[:2], "test"); err != nil {
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
		{"of a type", InboxQuery{Limit: 10, Types: []parley.MessageType{parley.TypeRequest, parley.TypeResponse}}, "3", 1, 1},
		{"of a priority", InboxQuery{Limit: 10, Priority: parley.PriorityHigh}, "4", 1, 1},
		{"since", InboxQuery{Limit: 10, Since: begin.Add(time.Minute)}, "5432", 4, 4},
		{"about", InboxQuery{Limit: 10, ContextReference: "PAR-1"}, "3", 1, 1},
		{"unread of one sender", InboxQuery{Limit: 10, UnreadOnly: true, Senders: []string{agentID(0)}}, "42", 3, 2},
	} {
		c.query.RecipientID = agentID(1)
		page, err := s.Inbox(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}

		texts := ""
		for _, item := range page.Items {
			texts += item.Message.Text
			if read := item.Message.Text < "2"; item.Read != read || item.Delivery.Steps != nil ||
				item.Delivery.MessageID != item.Message.ID {
				t.Errorf("%s: item %+v, want read: %t", c.name, item, read)
			}
		}

		if texts != c.texts || page.Total != c.total || page.Unread != c.unread {
			t.Errorf(
				"%s: got %s, %d, %d, want %s, %d, %d",
				c.name,
				texts,
				page.Total,
				page.Unread,
				c.texts,
				c.total,
				c.unread,
			)
		}
	}
}

func TestHistoryPagesBack(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	var ids []string
	for i := range 7 {
		p := post(i%2, (i+1)%2)
		p.Message.Text = fmt.Sprint(i)
		ids = append(ids, send(t, s, p).Message.ID)
	}

	send(t, s, post(0, 1, 2))                  // a broadcast is not of the conversation
	other := send(t, s, post(0, 2)).Message.ID // nor is what a third one gets
	before := ""
	for _, want := range []string{"456 true", "123 true", "0 false"} {
		page, err := s.History(t.Context(), HistoryQuery{A: agentID(1), B: agentID(0), Limit: 3, Before: before})
		if err != nil {
			t.Fatal(err)
		}

		got := ""
		for _, item := range page.Items {
			got += item.Message.Text
		}

		if got += fmt.Sprint(" ", page.HasMore); got != want || page.Total != 7 {
			t.Errorf("got %s of %d, want %s of 7", got, page.Total, want)
		}

		before = page.Items[0].Message.ID
	}

	for _, ref := range []string{"ffffffff", "short", other} {
		_, err := s.History(t.Context(), HistoryQuery{A: agentID(0), B: agentID(1), Limit: 3, Before: ref})
		wantCode(t, ref, err, parley.MessageNotFound)
	}

	if page, err := s.History(t.Context(), HistoryQuery{A: agentID(0), B: agentID(1), Limit: 9, Before: ids[2][:8]}); err != nil ||
		len(page.Items) != 2 {
		t.Errorf("before the beginning of an id: got %d, %v, want 2", len(page.Items), err)
	}
}

func TestCounts(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)
	for range 3 {
		send(t, s, post(0, 1, 2))
	}

	jobs := pending(t, s, 1)
	must(t, s.Advance(t.Context(), jobs[0].Key, Change{State: parley.DeliveryHeld, Reason: "copy mode"}))
	must(t, s.Claim(t.Context(), jobs[1].Key, 1, false))
	for _, j := range pending(t, s, 2) {
		must(t, s.Advance(t.Context(), j.Key, Change{State: parley.DeliverySubmitted}))
	}

	got, err := s.Counts(t.Context())
	held := jobs[0].Message.Timestamp
	want := map[string]AgentCounts{
		agentID(1): {Unread: 3, Queued: 3, HeldReason: "copy mode", HeldID: jobs[0].Message.ID, HeldSince: &held},
		agentID(2): {Unread: 3},
	}

	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}

	ids, err := s.Backlog(t.Context())
	if diff := cmp.Diff([]string{agentID(1)}, ids); diff != "" || err != nil {
		t.Errorf("Backlog: %v, -want +got:\n%s", err, diff)
	}
}

func TestAgentSeesItsOwnEvents(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)                                               // events 1-4: everyone sees those
	send(t, s, post(0, 1))                                           // 5
	send(t, s, post(2, 3))                                           // 6
	send(t, s, post(2, 0, 1))                                        // 7: a broadcast
	must(t, s.Claim(t.Context(), pending(t, s, 3)[0].Key, 1, false)) // 8: of message 6
	must(t, s.Claim(t.Context(), pending(t, s, 1)[0].Key, 1, false)) // 9: of message 5
	for who, want := range map[string]string{
		"":         "[1 2 3 4 5 6 7 8 9]",
		agentID(0): "[1 2 3 4 5 7 9]",
		agentID(1): "[1 2 3 4 5 7 9]",
		agentID(2): "[1 2 3 4 6 7 8]",
		agentID(3): "[1 2 3 4 6 8]",
	} {
		events, err := s.Events(t.Context(), EventQuery{Limit: 100, For: who})
		if err != nil {
			t.Fatal(err)
		}

		var seqs []int64
		for _, e := range events {
			seqs = append(seqs, e.Seq)
		}

		if got := fmt.Sprint(seqs); got != want {
			t.Errorf("agent %q: got %s, want %s", who, got, want)
		}
	}

	last, err := s.Events(t.Context(), EventQuery{Last: 2, For: agentID(2), After: 1000, Limit: 1})
	if err != nil || len(last) != 2 || last[0].Seq != 7 || last[1].Seq != 8 {
		t.Errorf("the last two: got %+v, %v", last, err)
	}

	page, err := s.Events(t.Context(), EventQuery{After: 2, Limit: 3})
	if err != nil || len(page) != 3 || page[0].Seq != 3 {
		t.Errorf("a page: got %+v, %v", page, err)
	}
}

func TestWaitEventWakes(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	if err := s.WaitEvent(t.Context(), 1); err != nil {
		t.Errorf("for one that is there: %v", err)
	}

	woken := make(chan error)
	for range 10 {
		go func() { woken <- s.WaitEvent(context.Background(), 2) }()
	}

	send(t, s, post(0, 1))
	for range 10 {
		if err := <-woken; err != nil {
			t.Error(err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { woken <- s.WaitEvent(ctx, 99) }()
	cancel()
	if err := <-woken; !errors.Is(err, context.Canceled) {
		t.Errorf("when its context ends: got %v", err)
	}

	go func() { woken <- s.WaitEvent(context.Background(), 99) }()
	must(t, s.Close())
	wantCode(t, "when the store closes", <-woken, parley.StorageUnavailable)
}
