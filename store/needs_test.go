package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// ids returns the message IDs of items, in their order.
func ids(t *testing.T) func([]InboxItem, error) []string {
	return func(items []InboxItem, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all := []string{}
		for _, item := range items {
			all = append(all, item.Message.ID)
		}
		return all
	}
}

func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestUnconfirmedLeavesOutDismissedAndRetried(t *testing.T) {
	s := openWith(t, 2)
	first, _ := unproven(t, s, parley.DeliveryUnconfirmed)
	second, _ := unproven(t, s, parley.DeliveryUnconfirmed)
	unproven(t, s, parley.DeliveryFailed)
	wantIDs(t, "unconfirmed", ids(t)(s.Needs.Unconfirmed(t.Context())), second, first)

	if n, err := s.Needs.Dismiss(t.Context(), second[:8]); n != 1 || err != nil {
		t.Errorf("Dismiss: %d, %v, want 1", n, err)
	}

	wantIDs(t, "after dismissing", ids(t)(s.Needs.Unconfirmed(t.Context())), first)
	if n, err := s.Needs.Dismiss(t.Context(), second); n != 0 || err != nil {
		t.Errorf("Dismiss again: %d, %v, want 0", n, err)
	}

	jobs := must.Have(s.Deliveries.Retry(t.Context(), second, again(1)))(t)
	wantIDs(t, "while tried again", ids(t)(s.Needs.Unconfirmed(t.Context())), first)
	must.Do(t, s.Deliveries.Claim(t.Context(), jobs[0].Key, 9, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), jobs[0].Key,
		Change{State: parley.DeliveryUnconfirmed, Cause: parley.HoldRefused.With("again")}))
	wantIDs(t, "unproven once more", ids(t)(s.Needs.Unconfirmed(t.Context())), second, first)
}

func TestDismissOfNothing(t *testing.T) {
	s := openWith(t, 2)
	if _, err := s.Needs.Dismiss(t.Context(), "00000000"); parley.ErrorCode(err) != parley.MessageNotFound {
		t.Errorf("got %v, want %s", err, parley.MessageNotFound)
	}
	done := send(t, s, post(0, 1))
	if n, err := s.Needs.Dismiss(t.Context(), done.Message.ID); n != 0 || err != nil {
		t.Errorf("a delivery under way: %d, %v, want 0", n, err)
	}
}

// request stores a delivered request of agent 0 to others.
func request(t *testing.T, s *Store, to ...int) string {
	t.Helper()
	p := post(0, to...)
	p.Message.Type = parley.TypeRequest
	for i := range p.Deliveries {
		p.Deliveries[i].State = parley.DeliverySubmitted
	}
	return send(t, s, p).Message.ID
}

func TestOwedListsUnansweredRequests(t *testing.T) {
	s := openWith(t, 3)
	later := time.Now().Add(time.Minute)
	owed := func() []string {
		t.Helper()
		return ids(t)(s.Needs.Owed(t.Context(), time.Now().Add(-time.Hour), later))
	}

	send(t, s, post(0, 1)) // not a request
	waiting := post(0, 1)
	waiting.Message.Type = parley.TypeRequest
	queued := send(t, s, waiting)
	replied, both, dismissed := request(t, s, 1), request(t, s, 1, 2), request(t, s, 2)
	wantIDs(t, "all", owed(), replied, both, both, dismissed)

	other := post(2, 1) // a reply to a message that its sender did not get
	other.Message.InReplyTo = replied
	send(t, s, other)
	wantIDs(t, "after another's reply", owed(), replied, both, both, dismissed)
	answer := post(1, 2) // a reply that goes to another agent
	answer.Message.InReplyTo = replied
	send(t, s, answer)
	wantIDs(t, "after a reply", owed(), both, both, dismissed)

	if n, err := s.Needs.Dismiss(t.Context(), dismissed); n != 1 || err != nil {
		t.Errorf("Dismiss: %d, %v, want 1", n, err)
	}

	wantIDs(t, "after dismissing", owed(), both, both)

	send(t, s, post(1, 0)) // agent 1 speaks to agent 0
	wantIDs(t, "after a later word", owed(), both)
	items := must.Have(s.Needs.Owed(t.Context(), time.Now().Add(-time.Hour), later))(t)
	if got := items[0].Delivery.RecipientID; got != agentID(2) {
		t.Errorf("%s owes, want %s", got, agentID(2))
	}

	// What agent 1 wrote before it had the message does not answer it.
	must.Do(t, s.Deliveries.Claim(t.Context(), Key{queued.Seq, agentID(1)}, 3, false))
	must.Do(t,
		s.Deliveries.Advance(t.Context(), Key{queued.Seq, agentID(1)},
			Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("seen")}))
	wantIDs(t, "once the first has arrived", owed(), queued.Message.ID, both)
}

func TestOwedKeepsToItsTimes(t *testing.T) {
	s := openWith(t, 2)
	id := request(t, s, 1)
	now := time.Now()
	wantIDs(t, "too young", ids(t)(s.Needs.Owed(t.Context(), now.Add(-time.Hour), now.Add(-time.Minute))))
	wantIDs(t, "too old", ids(t)(s.Needs.Owed(t.Context(), now.Add(time.Minute), now.Add(time.Hour))))
	wantIDs(t, "in time", ids(t)(s.Needs.Owed(t.Context(), now.Add(-time.Hour), now.Add(time.Minute))), id)

	// It was accepted long ago, and has only just arrived.
	p := post(0, 1)
	p.Message.Type, p.Message.Timestamp, p.Deliveries[0].State = parley.TypeRequest, now.Add(
		-30*time.Minute,
	), parley.DeliverySubmitted

	send(t, s, p)
	wantIDs(t, "just arrived", ids(t)(s.Needs.Owed(t.Context(), now.Add(-time.Hour), now.Add(-time.Minute))))
}

// A mailbox gets a message when it is stored, no matter when it marks it as read.
func TestMailboxMayAnswerBeforeReading(t *testing.T) {
	s := openWith(t, 1)
	box := testAgent(1)
	box.Kind = parley.KindMailbox
	must.Do(t, s.Agents.CreateAgent(t.Context(), box, nil))
	id := request(t, s, 1)
	send(t, s, post(1, 0))
	if marked, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{id}, "marked"); len(marked) != 1 ||
		err != nil {
		t.Fatal(marked, err)
	}

	now := time.Now()
	wantIDs(t, "owed", ids(t)(s.Needs.Owed(t.Context(), now.Add(-time.Hour), now.Add(time.Minute))))
}

func TestThreadRequestsAreNotOwed(t *testing.T) {
	s := openWith(t, 2)
	id := openThread(t, s, 1)
	p := threadPost(id, 0)
	p.Message.Type = parley.TypeRequest
	p.Reach = func([]string) ([]NewDelivery, error) {
		return []NewDelivery{{RecipientID: agentID(1), State: parley.DeliverySubmitted}}, nil
	}
	must.Have(s.Messages.Append(t.Context(), p))(t)
	wantIDs(t, "owed", ids(t)(s.Needs.Owed(t.Context(), time.Now().Add(-time.Hour), time.Now().Add(time.Hour))))
}
