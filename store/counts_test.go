package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestCounts(t *testing.T) {
	s := openWith(t, 4)
	for range 3 {
		send(t, s, post(0, 1, 2))
	}

	jobs := pending(t, s, 1)
	must.Do(t, s.Deliveries.Advance(t.Context(), jobs[0].Key, Change{
		State: parley.DeliveryHeld, Cause: parley.HoldScrolling.In("copy mode"),
	}))
	must.Do(t, s.Deliveries.Claim(t.Context(), jobs[1].Key, 1, false))
	others := pending(t, s, 2)
	for _, j := range others {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key, Change{State: parley.DeliverySubmitted}))
	}

	got, err := s.Inbox.Counts(t.Context())
	held := jobs[0].Message.Timestamp
	want := map[string]AgentCounts{
		agentID(1): {Unread: 3, Queued: 3, HeldReason: "copy mode", HeldCode: parley.HoldScrolling,
			HeldID: jobs[0].Message.ID, HeldSince: &held},
		agentID(2): {Unread: 3},
	}

	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}

	unread := func(want int) {
		t.Helper()
		if n := must.Have(s.Inbox.Counts(t.Context()))(t)[agentID(2)].Unread; n != want {
			t.Errorf("%d are unread, want %d", n, want)
		}
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), others[0].Key, Change{State: parley.DeliveryRead}))
	unread(2)
	send(t, s, post(0, 2))
	unread(3)

	queued, err := s.Needs.Queued(t.Context())
	if diff := cmp.Diff(map[string]int{agentID(1): 3, agentID(2): 1}, queued); diff != "" || err != nil {
		t.Errorf("queued: %v, -want +got:\n%s", err, diff)
	}
}

func TestDeliveryReasonsCountsHeldAndUnconfirmed(t *testing.T) {
	s := openWith(t, 3)
	for range 3 {
		send(t, s, post(0, 1, 2))
	}

	jobs := pending(t, s, 1)
	for _, j := range jobs[:2] {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key, Change{
			State: parley.DeliveryHeld, Cause: parley.HoldDraft.In("a draft"),
		}))
	}
	must.Do(t, s.Deliveries.Claim(t.Context(), jobs[2].Key, 1, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), jobs[2].Key, Change{
		State: parley.DeliveryUnconfirmed, Cause: parley.EndedUnseen.In("not seen"),
	}))
	for _, j := range pending(t, s, 2) {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key,
			Change{State: parley.DeliverySubmitted, Cause: parley.ProofComposer.With("")}))
	}

	got, err := s.Workspace.DeliveryReasons(t.Context())
	want := map[parley.DeliveryState]map[parley.ReasonCode]int{
		parley.DeliveryHeld:        {parley.HoldDraft: 2},
		parley.DeliveryUnconfirmed: {parley.EndedUnseen: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestTotalsContinueFromLastCount(t *testing.T) {
	s := openWith(t, 4)
	want := func(messages, deliveries int64) {
		t.Helper()
		if got, err := s.Workspace.Totals(t.Context()); err != nil || got != (Totals{messages, deliveries}) {
			t.Errorf("got %+v, %v, want %d messages and %d deliveries", got, err, messages, deliveries)
		}
	}

	want(0, 0)
	send(t, s, post(0, 1, 2, 3))
	send(t, s, post(0, 1))
	want(2, 4)
	want(2, 4)
	send(t, s, post(1, 2, 3))
	want(3, 6)
	must.Do(t, s.Workspace.Ping(t.Context()))
}

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

	proof := parley.ProofDoor.With("e")
	read := []Change{{State: parley.DeliverySubmitted, Cause: proof}, {State: parley.DeliveryRead, Cause: proof}}
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
