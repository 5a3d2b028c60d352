package store

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// send appends, and fails the test when it cannot.
func send(t *testing.T, s *Store, p Post) Appended {
	t.Helper()
	done, err := s.Append(t.Context(), p)
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return done
}

// delivery returns the delivery of a message to an agent.
func delivery(t *testing.T, s *Store, messageID string, n int) parley.Delivery {
	t.Helper()
	_, all, err := s.Message(t.Context(), messageID)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d parley.Delivery) bool { return d.RecipientID == agentID(n) })
	if i < 0 {
		t.Fatalf("message %s has no delivery to agent %d", messageID, n)
	}
	return all[i]
}

func states(d parley.Delivery) []string {
	var all []string
	for _, st := range d.Steps {
		all = append(all, string(st.State))
	}
	return all
}

func pending(t *testing.T, s *Store, n int) []Job {
	t.Helper()
	jobs, err := s.Pending(t.Context(), agentID(n), 100)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAppendStoresAllThatBelongsToAMessage(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	p := post(0, 1, 2)
	p.Message.Text = strings.Repeat("ä", 250)
	p.Message.Data = json.RawMessage(`{"n": 1}`)
	p.Message.Timestamp = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	p.Deliveries[1].State, p.Deliveries[1].Evidence = parley.DeliverySubmitted, "stored in its mailbox"
	p.Deliveries[1].Recipient = agentName(2)
	done := send(t, s, p)
	want := p.Message
	want.Recipients = []string{agentID(1), agentID(2)}
	if diff := cmp.Diff(want, done.Message); diff != "" || done.Repeated {
		t.Errorf("answer: repeated %t, -want +got:\n%s", done.Repeated, diff)
	}

	want.Sender = agentName(0)
	got, deliveries, err := s.Message(t.Context(), done.Message.ID)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored: -want +got:\n%s", diff)
	}

	done.Deliveries[0].Recipient = agentName(1)
	if diff := cmp.Diff(done.Deliveries, deliveries); diff != "" {
		t.Errorf("deliveries: -answer +stored:\n%s", diff)
	}
	if got, want := deliveries[0].ConversationID, parley.ConversationID(agentID(1), agentID(0)); got != want {
		t.Errorf("conversation: got %s, want %s", got, want)
	}

	events, err := s.Events(t.Context(), EventQuery{After: 3, Limit: 10})
	must(t, err)
	wantEvents := []parley.Event{
		{Seq: 4, Type: parley.EventBroadcast, SenderID: agentID(0), Sender: agentName(0), RecipientCount: 2,
			MessageID: want.ID, Preview: strings.Repeat("ä", 99) + "…", Priority: parley.PriorityNormal,
			Kind: parley.KindBroadcast, MessageType: parley.TypeInformation},
		{
			Seq:         5,
			Type:        parley.EventDelivery,
			SenderID:    agentID(0),
			Sender:      agentName(0),
			RecipientID: agentID(2),
			Recipient:   agentName(2),
			MessageID:   want.ID,
			Priority:    parley.PriorityNormal,
			State:       "submitted",
			Detail:      "stored in its mailbox",
		},
	}

	for i := range events {
		events[i].Time = time.Time{}
	}

	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("events: -want +got:\n%s", diff)
	}

	log, err := s.AgentLog(t.Context(), agentID(2), 1)
	must(t, err)
	var details map[string]string
	must(t, json.Unmarshal(log[0].Details, &details))
	wantDetails := map[string]string{"sender_id": agentID(0), "recipient_id": agentID(2), "message_type": "information",
		"message_content": strings.Repeat("ä", 199) + "…", "timestamp": "2026-01-02T03:04:05.000000006Z"}
	if diff := cmp.Diff(wantDetails, details); diff != "" || log[0].LogType != "agent_communication" ||
		log[0].AgentID != agentID(2) {
		t.Errorf("agent log: got %+v, -want +got:\n%s", log[0], diff)
	}
}

func TestAppendToUnknownAgentStoresNothing(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	_, err := s.Append(t.Context(), post(0, 1, 7))
	wantCode(t, "unknown recipient", err, parley.AgentNotFound)
	_, err = s.Append(t.Context(), post(7, 1))
	wantCode(t, "unknown sender", err, parley.AgentNotFound)
	wantStored(t, s, 0)
}

func TestIdempotencyKeyStoresOnce(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	first := post(0, 1)
	first.IdempotencyKey = "k"
	done := send(t, s, first)
	again := post(0, 2)
	again.IdempotencyKey, again.Message.Text = "k", "something else"
	got := send(t, s, again)
	if !got.Repeated || got.Message.ID != done.Message.ID || got.Message.Text != done.Message.Text ||
		len(got.Deliveries) != 1 || got.Deliveries[0].Recipient != agentName(1) {
		t.Errorf("got %+v, want the first message", got)
	}

	other := post(2, 1) // another sender's key is another key
	other.IdempotencyKey = "k"
	if got := send(t, s, other); got.Repeated {
		t.Error("another sender's key was taken for this one's")
	}

	wantStored(t, s, 2)
}

func TestBroadcastToManyIsStoredWhole(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 150)
	to := make([]int, 149)
	for i := range to {
		to[i] = i + 1
	}

	done := send(t, s, post(0, to...))
	_, deliveries, err := s.Message(t.Context(), done.Message.ID)
	ids, backlogErr := s.Backlog(t.Context())
	if err != nil || backlogErr != nil || len(deliveries) != 149 || len(ids) != 149 {
		t.Errorf("got %d deliveries, %d recipients (%v, %v), want 149", len(deliveries), len(ids), err, backlogErr)
	}

	for i := range deliveries {
		if deliveries[i].RecipientID != done.Deliveries[i].RecipientID {
			t.Errorf("delivery %d: got %s, want %s", i, deliveries[i].RecipientID, done.Deliveries[i].RecipientID)
		}
	}
}

func TestPendingIsUrgentFirstThenInOrder(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	var want []string
	for i := range 6 {
		p := post(0, 1)
		if i >= 4 {
			p.Message.Priority = parley.PriorityUrgent
		}
		p.Deliveries[0].Notice = i == 0
		want = append(want, send(t, s, p).Message.ID)
	}

	send(t, s, post(0, 2))
	want = slices.Concat(want[4:], want[:4])
	jobs := pending(t, s, 1)
	var got []string
	for _, j := range jobs {
		got = append(got, j.Message.ID)
	}

	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	if last := jobs[2]; !last.Notice || last.QueuedAt.IsZero() || last.Message.Sender != agentName(0) ||
		last.State != parley.DeliveryQueued {
		t.Errorf("the first that was not urgent: %+v", last)
	}

	if some, err := s.Pending(t.Context(), agentID(1), 2); err != nil || len(some) != 2 {
		t.Errorf("with a limit of 2: got %d, %v", len(some), err)
	}
}

func TestClaimIsGivenOnce(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id := send(t, s, post(0, 1)).Message.ID
	key := pending(t, s, 1)[0].Key
	must(t, s.Claim(t.Context(), key, 7, true))
	if err := s.Claim(t.Context(), key, 8, false); !errors.Is(err, ErrStale) {
		t.Errorf("a second claim: got %v, want ErrStale", err)
	}
	if jobs := pending(t, s, 1); len(jobs) != 0 {
		t.Errorf("pending while it is typed: %+v", jobs)
	}

	typing, err := s.Typing(t.Context(), agentID(1))
	if err != nil || len(typing) != 1 || typing[0].PaneSeq != 7 || !typing[0].Notice || typing[0].Message.ID != id {
		t.Errorf("Typing: got %+v, %v", typing, err)
	}
}

func TestAdvanceClimbsTheLadder(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id := send(t, s, post(0, 1)).Message.ID
	key := pending(t, s, 1)[0].Key
	held := Change{State: parley.DeliveryHeld, Reason: "copy mode"}
	must(t, s.Advance(t.Context(), key, held))
	events := s.LastEvent()
	must(t, s.Advance(t.Context(), key, held))
	if got := s.LastEvent(); got != events {
		t.Errorf("held for the same reason again: %d new events, want none", got-events)
	}

	must(t, s.Advance(t.Context(), key, Change{State: parley.DeliveryHeld, Reason: "a dialog is open"}))
	if d := delivery(t, s, id, 1); d.Reason != "a dialog is open" || d.State != parley.DeliveryHeld {
		t.Errorf("held: got %+v", d)
	}

	must(t, s.Claim(t.Context(), key, 1, false))
	must(t, s.Advance(t.Context(), key, Change{State: parley.DeliveryQueued, Reason: "it was never pasted"}))
	must(t, s.Claim(t.Context(), key, 2, false))
	must(t, s.Advance(t.Context(), key, Change{State: parley.DeliverySubmitted, Evidence: "the composer is empty"},
		Change{State: parley.DeliveryRead, Evidence: "whole text"}))
	d := delivery(t, s, id, 1)
	want := []string{"queued", "held", "held", "typing", "queued", "typing", "submitted", "read"}
	if got := states(d); !slices.Equal(got, want) || d.State != parley.DeliveryRead || d.Reason != "" {
		t.Errorf("got %+v, want the steps %v", d, want)
	}
	if got := d.Steps[6]; got.Evidence != "the composer is empty" || got.At.IsZero() {
		t.Errorf("the step submitted: %+v", got)
	}

	page, err := s.Inbox(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Unread != 0 {
		t.Errorf("unread after read: %d, %v", page.Unread, err)
	}
	if got, want := s.LastEvent(), int64(2+1+7); got != want {
		t.Errorf("events: got %d, want %d", got, want)
	}
}

func TestAdvanceNeverGoesBack(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	send(t, s, post(0, 1))
	key := pending(t, s, 1)[0].Key
	for _, c := range []struct {
		was parley.DeliveryState
		to  []parley.DeliveryState
	}{
		{parley.DeliveryQueued, []parley.DeliveryState{parley.DeliveryUnconfirmed, parley.DeliveryTyping}},
		{parley.DeliverySubmitted, []parley.DeliveryState{parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping, parley.DeliveryFailed}},
		{parley.DeliveryRead, []parley.DeliveryState{parley.DeliveryQueued, parley.DeliverySubmitted, parley.DeliveryExpired}},
	} {
		must(t, s.Advance(t.Context(), key, Change{State: c.was}))
		for _, to := range c.to {
			if err := s.Advance(t.Context(), key, Change{State: to}); !errors.Is(err, ErrStale) {
				t.Errorf("%s to %s: got %v, want ErrStale", c.was, to, err)
			}
		}
	}

	if err := s.Advance(t.Context(), Key{99, agentID(1)}, Change{State: parley.DeliveryRead}); !errors.Is(
		err,
		ErrStale,
	) {
		t.Errorf("a delivery that is not there: got %v, want ErrStale", err)
	}
}

func TestMarkReadKeepsAQueuedMessageFromTheTerminal(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	id := send(t, s, post(0, 1)).Message.ID
	other := send(t, s, post(0, 2)).Message.ID
	key := pending(t, s, 1)[0].Key
	marked, notFound, already, err := s.MarkRead(
		t.Context(),
		agentID(1),
		[]string{id[:8], id, other, "short", "ffffffff"},
		"get_messages",
	)

	must(t, err)
	if !slices.Equal(marked, []string{id}) || len(already) > 0 ||
		!slices.Equal(notFound, []string{other, "short", "ffffffff"}) {
		t.Errorf("got marked %v, not found %v, already %v", marked, notFound, already)
	}

	if err := s.Claim(t.Context(), key, 1, false); !errors.Is(err, ErrStale) {
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

func TestMarkReadWhileTypingIsReadInTheEnd(t *testing.T) {
	for _, end := range []parley.DeliveryState{parley.DeliverySubmitted, parley.DeliveryQueued, parley.DeliveryUnconfirmed, parley.DeliveryRead} {
		t.Run(string(end), func(t *testing.T) {
			s := openTest(t)
			addAgents(t, s, 2)
			id := send(t, s, post(0, 1)).Message.ID
			key := pending(t, s, 1)[0].Key
			must(t, s.Claim(t.Context(), key, 1, false))
			if marked, _, _, err := s.MarkRead(t.Context(), agentID(1), []string{id}, "get_messages"); len(
				marked,
			) != 1 ||
				err != nil {
				t.Fatalf("MarkRead: got %v, %v", marked, err)
			}

			if d := delivery(t, s, id, 1); d.State != parley.DeliveryTyping {
				t.Errorf("while it is typed: got %s", d.State)
			}

			must(t, s.Advance(t.Context(), key, Change{State: end}))
			if d := delivery(t, s, id, 1); d.State != parley.DeliveryRead || len(pending(t, s, 1)) != 0 {
				t.Errorf("in the end: got %+v", d)
			}
		})
	}
}

func TestExpireGivesUpWhatWaitedTooLong(t *testing.T) {
	s := openTest(t)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return clock }
	addAgents(t, s, 2)
	const many = expireBatch + 20
	for range many {
		send(t, s, post(0, 1))
	}

	typed := pending(t, s, 1)[0].Key
	must(t, s.Claim(t.Context(), typed, 1, false))
	clock = clock.Add(time.Hour)
	young := send(t, s, post(0, 1)).Message.ID

	keys, err := s.Expire(t.Context(), clock)
	if err != nil || len(keys) != many-1 {
		t.Fatalf("got %d keys, %v, want %d", len(keys), err, many-1)
	}
	if jobs := pending(t, s, 1); len(jobs) != 1 || jobs[0].Message.ID != young {
		t.Errorf("still pending: %+v", jobs)
	}

	counts, err := s.DeliveryCounts(t.Context())
	want := map[string]int{"expired": many - 1, "typing": 1, "queued": 1}
	if diff := cmp.Diff(want, counts); diff != "" || err != nil {
		t.Errorf("DeliveryCounts: %v, -want +got:\n%s", err, diff)
	}
}
