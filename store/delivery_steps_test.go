package store

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestClaimIsGivenOnce(t *testing.T) {
	s := openWith(t, 2)
	id := send(t, s, post(0, 1)).Message.ID
	key := pending(t, s, 1)[0].Key
	must.Do(t, s.Deliveries.Claim(t.Context(), key, 7, true))
	if err := s.Deliveries.Claim(t.Context(), key, 8, false); !errors.Is(err, ErrStale) {
		t.Errorf("a second claim: got %v, want ErrStale", err)
	}
	if jobs := pending(t, s, 1); len(jobs) != 0 {
		t.Errorf("pending while it is typed: %+v", jobs)
	}

	typing, err := s.Deliveries.Typing(t.Context(), agentID(1))
	if err != nil || len(typing) != 1 || typing[0].PaneSeq != 7 || !typing[0].Announced || typing[0].Message.ID != id {
		t.Errorf("Typing: got %+v, %v", typing, err)
	}
}

func TestAdvanceClimbsTheLadder(t *testing.T) {
	s := openWith(t, 2)
	id := send(t, s, post(0, 1)).Message.ID
	key := pending(t, s, 1)[0].Key
	held := Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("copy mode")}
	must.Do(t, s.Deliveries.Advance(t.Context(), key, held))
	events := s.Events.LastEvent()
	must.Do(t, s.Deliveries.Advance(t.Context(), key, held))
	if got := s.Events.LastEvent(); got != events {
		t.Errorf("held for the same reason again: %d new events, want none", got-events)
	}

	must.Do(t, s.Deliveries.Advance(t.Context(), key,
		Change{State: parley.DeliveryHeld, Cause: parley.HoldRefused.With("a dialog is open")}))
	if d := delivery(t, s, id, 1); d.Reason != "a dialog is open" || d.State != parley.DeliveryHeld {
		t.Errorf("held: got %+v", d)
	}

	must.Do(t, s.Deliveries.Claim(t.Context(), key, 1, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), key,
		Change{State: parley.DeliveryQueued, Cause: parley.HoldRefused.With("it was never pasted")}))
	must.Do(t, s.Deliveries.Claim(t.Context(), key, 2, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), key,
		Change{State: parley.DeliverySubmitted, Cause: parley.ProofDoor.With("the composer is empty")},
		Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("whole text")}))
	d := delivery(t, s, id, 1)
	want := []string{"queued", "held", "held", "typing", "queued", "typing", "submitted", "read"}
	if got := states(d); !slices.Equal(got, want) || d.State != parley.DeliveryRead || d.Reason != "" {
		t.Errorf("got %+v, want the steps %v", d, want)
	}
	if got := d.Steps[6]; got.Evidence != "the composer is empty" || got.At.IsZero() {
		t.Errorf("the step submitted: %+v", got)
	}

	page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Unread != 0 {
		t.Errorf("unread after read: %d, %v", page.Unread, err)
	}
	if got, want := s.Events.LastEvent(), int64(2+1+7); got != want {
		t.Errorf("events: got %d, want %d", got, want)
	}
}

func TestAdvanceNeverGoesBack(t *testing.T) {
	s := openWith(t, 2)
	send(t, s, post(0, 1))
	key := pending(t, s, 1)[0].Key
	for _, c := range []struct {
		was parley.DeliveryState
		to  []parley.DeliveryState
	}{
		{"queued", []parley.DeliveryState{"unconfirmed", "typing"}},
		{"submitted", []parley.DeliveryState{"queued", "held", "typing", "failed"}},
		{"read", []parley.DeliveryState{"queued", "submitted", "expired"}},
	} {
		must.Do(t, s.Deliveries.Advance(t.Context(), key, Change{State: c.was}))
		for _, to := range c.to {
			if err := s.Deliveries.Advance(t.Context(), key, Change{State: to}); !errors.Is(err, ErrStale) {
				t.Errorf("%s to %s: got %v, want ErrStale", c.was, to, err)
			}
		}
	}

	err := s.Deliveries.Advance(t.Context(), Key{99, agentID(1)}, Change{State: parley.DeliveryRead})
	if !errors.Is(err, ErrStale) {
		t.Errorf("a delivery that does not exist: got %v, want ErrStale", err)
	}
}

// What its program gives back is not read: unless it was answered.
func TestWhatIsTakenBackIsNotRead(t *testing.T) {
	s := openWith(t, 2)
	original := require(t, s, 1)
	id, key := original.Message.ID, pending(t, s, 1)[0].Key
	undone := Change{State: parley.DeliveryUnconfirmed, Cause: parley.EndedUndone.In("taken back")}
	if err := s.Deliveries.Advance(t.Context(), key, undone); !errors.Is(err, ErrStale) {
		t.Errorf("before it was taken: got %v, want ErrStale", err)
	}
	must.Do(t, s.Deliveries.Claim(t.Context(), key, 1, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), key, Change{State: parley.DeliverySubmitted},
		Change{State: parley.DeliveryRead}))
	must.Do(t, s.Deliveries.Advance(t.Context(), key, undone))
	d := delivery(t, s, id, 1)
	page := must.Have(s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1}))(t)
	if d.State != parley.DeliveryUnconfirmed || d.ReasonCode != parley.EndedUndone || page.Unread != 1 {
		t.Errorf("got %+v, %d unread", d, page.Unread)
	}

	late := Witness{RecipientID: agentID(1), Refs: []string{id}, At: d.Steps[len(d.Steps)-1].At}
	must.Have(s.Deliveries.Attest(t.Context(), late))(t)
	if d := delivery(t, s, id, 1); d.State != parley.DeliveryUnconfirmed {
		t.Errorf("a report from before that makes it %s", d.State)
	}

	must.Do(t, s.Deliveries.Advance(t.Context(), key, Change{State: parley.DeliverySubmitted},
		Change{State: parley.DeliveryRead}))
	if d := delivery(t, s, id, 1); d.State != parley.DeliveryRead {
		t.Errorf("entered after all: got %+v", d)
	}
	must.Have(s.Messages.Append(t.Context(), reply(1, original, parley.ResponseCompleted)))(t)
	if err := s.Deliveries.Advance(t.Context(), key, undone); !errors.Is(err, ErrStale) {
		t.Errorf("after its answer: got %v, want ErrStale", err)
	}
}
