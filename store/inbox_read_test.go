package store

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
)

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
