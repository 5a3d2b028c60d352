package store

import (
	"testing"

	"parley"
	"parley/internal/must"
)

func TestInboxCountsFollowChanges(t *testing.T) {
	s := openWith(t, 3)
	want := func(total, unread int) {
		t.Helper()
		for range 2 { // counted, and remembered
			page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
			if err != nil || page.Total != total || page.Unread != unread {
				t.Errorf("got %d and %d, %v, want %d and %d", page.Total, page.Unread, err, total, unread)
			}
		}
	}

	want(0, 0)
	one, two := say(t, s, "one", 0, 1, 2), say(t, s, "two", 0, 1)
	want(2, 2)
	if _, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{one.Message.ID}, "read"); err != nil {
		t.Fatal(err)
	}

	want(2, 1)
	three := say(t, s, "three", 0, 1)
	want(3, 2)
	typed := func(a Appended) Key {
		k := Key{a.Seq, agentID(1)}
		must.Do(t, s.Deliveries.Claim(t.Context(), k, 7, false))
		return k
	}

	read := []Change{{State: parley.DeliverySubmitted, Evidence: "e"}, {State: parley.DeliveryRead, Evidence: "e"}}
	must.Do(t, s.Deliveries.Advance(t.Context(), typed(two), read...))

	want(3, 1)
	k := typed(three)
	if _, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{three.Message.ID}, "read"); err != nil {
		t.Fatal(err)
	}

	want(3, 0)
	must.Do(t, s.Deliveries.Advance(t.Context(), k, read...))

	want(3, 0)
}

func TestInboxCountsIncludeOlderMessages(t *testing.T) {
	s := openWith(t, 3)
	question := require(t, s, 1)
	must.Have(s.Messages.Append(t.Context(), post(0, 2)))(t)
	count := func() [2]int {
		page := must.Have(s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(2), Limit: 1}))(t)
		return [2]int{page.Total, page.Unread}
	}

	if got, want := count(), [2]int{1, 1}; got != want {
		t.Errorf("total and unread are %v, want %v", got, want)
	}

	p := reply(1, question, parley.ResponseDelegated)
	p.Answers.Delegates = []NewDelivery{{RecipientID: agentID(2), State: parley.DeliveryQueued}}
	must.Have(s.Messages.Append(t.Context(), p))(t)
	if got, want := count(), [2]int{2, 2}; got != want {
		t.Errorf("with the message that it is to answer, total and unread are %v, want %v", got, want)
	}

	must.Have(s.Messages.Append(t.Context(), reply(2, question, parley.ResponseCompleted)))(t)
	if got, want := count(), [2]int{2, 1}; got != want {
		t.Errorf("when it has answered, total and unread are %v, want %v", got, want)
	}
}
