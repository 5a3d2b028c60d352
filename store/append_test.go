package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestAppendStoresAllThatBelongsToAMessage(t *testing.T) {
	s := openWith(t, 3)
	p := post(0, 1, 2)
	p.Message.Text = strings.Repeat("ä", 250)
	p.Message.Data = json.RawMessage(`{"n": 1}`)
	p.Message.InReplyTo = "a message"
	p.Message.Timestamp = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	p.Deliveries[1].State = parley.DeliverySubmitted
	p.Deliveries[1].Cause = parley.ProofStored.In("stored in its mailbox")
	p.Deliveries[1].Recipient = agentName(2)
	done := send(t, s, p)
	want := p.Message
	want.Recipients = []string{agentID(1), agentID(2)}
	if diff := cmp.Diff(want, done.Message); diff != "" || done.Repeated {
		t.Errorf("answer: repeated %t, -want +got:\n%s", done.Repeated, diff)
	}

	want.Sender = agentName(0)
	got, deliveries, err := s.Messages.Message(t.Context(), done.Message.ID)
	must.Do(t, err)
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

	events := must.Have(s.Events.List(t.Context(), EventQuery{After: 3, Limit: 10}))(t)
	wantEvents := []parley.Event{
		{Seq: 4, Type: parley.EventBroadcast, SenderID: agentID(0), Sender: agentName(0), RecipientCount: 2,
			MessageID: want.ID, Preview: strings.Repeat("ä", 100), Priority: parley.PriorityNormal,
			Kind: parley.KindBroadcast, MessageType: parley.TypeInformation, InReplyTo: "a message"},
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
			ReasonCode:  parley.ProofStored,
		},
	}

	for i := range events {
		events[i].Time = time.Time{}
	}

	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("events: -want +got:\n%s", diff)
	}

	rows := agentLog(t, s, 2)
	log := rows[len(rows)-1]
	var details map[string]string
	must.Do(t, json.Unmarshal([]byte(log.Details), &details))
	wantDetails := map[string]string{"sender_id": agentID(0), "recipient_id": agentID(2), "message_type": "information",
		"message_content": strings.Repeat("ä", 199) + "…", "timestamp": "2026-01-02T03:04:05.000000006Z"}
	if diff := cmp.Diff(wantDetails, details); diff != "" || log.LogType != "agent_communication" ||
		log.AgentID != agentID(2) {
		t.Errorf("agent log: got %+v, -want +got:\n%s", log, diff)
	}
}

// Whoever follows the events learns that a message was held as it was stored.
func TestAppendTellsOfADeliveryThatIsHeldFromTheStart(t *testing.T) {
	s := openWith(t, 3)
	p := post(0, 1, 2)
	held := &p.Deliveries[1]
	held.State, held.Withheld = parley.DeliveryHeld, "not-addressed"
	held.Cause = parley.HoldConversation.With("nothing called for an answer")
	send(t, s, p)

	events := must.Have(s.Events.List(t.Context(), EventQuery{After: 3, Limit: 10}))(t)
	if len(events) != 2 {
		t.Fatalf("got %+v, want the message and one delivery", events)
	}

	e := events[1]
	want := parley.Event{Type: parley.EventDelivery, RecipientID: agentID(2), State: "held",
		ReasonCode: parley.HoldConversation,
		Detail:     "nothing called for an answer"}
	got := parley.Event{Type: e.Type, RecipientID: e.RecipientID, State: e.State, ReasonCode: e.ReasonCode,
		Detail: e.Detail}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAppendToUnknownAgentStoresNothing(t *testing.T) {
	s := openWith(t, 2)
	_, err := s.Messages.Append(t.Context(), post(0, 1, 7))
	wantCode(t, "unknown recipient", err, parley.AgentNotFound)
	_, err = s.Messages.Append(t.Context(), post(7, 1))
	wantCode(t, "unknown sender", err, parley.AgentNotFound)
	wantStored(t, s, 0)
}

func TestBroadcastToManyIsStoredWhole(t *testing.T) {
	s := openWith(t, 150)
	to := make([]int, 149)
	for i := range to {
		to[i] = i + 1
	}

	done := send(t, s, post(0, to...))
	_, deliveries, err := s.Messages.Message(t.Context(), done.Message.ID)
	counts, countErr := s.Inbox.Counts(t.Context())
	if err != nil || countErr != nil || len(deliveries) != 149 || len(counts) != 149 {
		t.Errorf("got %d deliveries, %d recipients (%v, %v), want 149", len(deliveries), len(counts), err, countErr)
	}

	for i := range deliveries {
		if deliveries[i].RecipientID != done.Deliveries[i].RecipientID {
			t.Errorf("delivery %d: got %s, want %s", i, deliveries[i].RecipientID, done.Deliveries[i].RecipientID)
		}
	}
}

// A message is claimed as it is stored, unless another one goes first.
func TestAppendClaimsWhatNothingGoesBefore(t *testing.T) {
	s := openWith(t, 4)
	send(t, s, post(0, 1))
	p := post(0, 1, 2, 3)
	p.Deliveries[0].PaneSeq, p.Deliveries[1].PaneSeq = 5, 6
	done := send(t, s, p)

	var got []parley.DeliveryState
	for _, j := range done.Jobs() {
		got = append(got, j.State)
	}
	if len(got) != 3 || got[0] != parley.DeliveryQueued || got[1] != parley.DeliveryTyping ||
		got[2] != parley.DeliveryQueued {
		t.Errorf("got %v, want the second one at typing", got)
	}

	typing := must.Have(s.Deliveries.Typing(t.Context(), agentID(2)))(t)
	if len(typing) != 1 || typing[0].PaneSeq != 6 || typing[0].Key != (Key{done.Seq, agentID(2)}) {
		t.Errorf("got %+v, want the claim under 6", typing)
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), typing[0].Key,
		Change{State: parley.DeliverySubmitted, Cause: parley.ProofDoor.With("typed")}))
}
