package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestCodesAreKeptWithReasonsAndSteps(t *testing.T) {
	s := openWith(t, 2)
	p := post(0, 1)
	p.Deliveries[0].Evidence, p.Deliveries[0].Code = "stored", parley.ProofStored
	done := send(t, s, p)
	k := Key{done.Seq, agentID(1)}
	if got := done.Deliveries[0]; got.ReasonCode != "" || got.Steps[0].Code != parley.ProofStored {
		t.Errorf("stored: got reason code %q, step %+v", got.ReasonCode, got.Steps[0])
	}

	hold := Change{State: parley.DeliveryHeld, Reason: "it is busy", Code: parley.HoldBusy}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, hold))
	if got := pending(t, s, 1)[0].Code; got != parley.HoldBusy {
		t.Errorf("job: got code %q, want %q", got, parley.HoldBusy)
	}

	must.Do(t, s.Deliveries.Claim(t.Context(), k, 1, false))
	lost := Change{State: parley.DeliveryUnconfirmed, Reason: "it may be lost", Code: parley.EndedUnseen}
	if got := delivery(t, s, done.Message.ID, 1).ReasonCode; got != "" {
		t.Errorf("while it is typed: got reason code %q, want none", got)
	}

	must.Do(t, s.Deliveries.Advance(t.Context(), k, lost))
	if got := delivery(t, s, done.Message.ID, 1).ReasonCode; got != parley.EndedUnseen {
		t.Errorf("unconfirmed: got reason code %q, want %q", got, parley.EndedUnseen)
	}

	must.Do(t,
		s.Deliveries.Advance(t.Context(), k,
			Change{State: parley.DeliverySubmitted, Evidence: "x", Code: parley.ProofRead}))
	d := delivery(t, s, done.Message.ID, 1)
	want := []parley.ReasonCode{parley.ProofStored, parley.HoldBusy, "", parley.EndedUnseen, parley.ProofRead}
	if diff := cmp.Diff(want, stepCodes(d)); diff != "" || d.ReasonCode != "" {
		t.Errorf("submitted: got reason code %q, step codes (-want +got):\n%s", d.ReasonCode, diff)
	}
}

// stepCodes returns the codes of a delivery's steps.
func stepCodes(d parley.Delivery) (codes []parley.ReasonCode) {
	for _, step := range d.Steps {
		codes = append(codes, step.Code)
	}
	return codes
}

func TestStoreSetsCodesOfItsOwnSteps(t *testing.T) {
	s := openWith(t, 2)
	key := func(done Appended) Key { return Key{done.Seq, agentID(1)} }
	submitted := Change{State: parley.DeliverySubmitted}
	for name, c := range map[string]struct {
		do   func(done Appended) error
		want parley.ReasonCode // of the last step
	}{
		"marked as read": {func(done Appended) error {
			_, _, _, err := s.Inbox.MarkRead(t.Context(), agentID(1), []string{done.Message.ID}, "x")
			return err
		}, parley.ProofCall},
		"ignored": {func(done Appended) error {
			_, err := s.Inbox.Ignore(t.Context(), agentID(1), done.Message.ID, "")
			return err
		}, parley.ProofCall},
		"answered": {func(done Appended) error {
			_, err := s.Messages.Append(t.Context(), reply(1, done, ""))
			return err
		}, parley.ProofReply},
		"attested": {func(done Appended) error {
			must.Do(t, s.Deliveries.Claim(t.Context(), key(done), 1, false))
			attest(t, s, 1, time.Time{}, done.Message.ID)
			return nil
		}, parley.ProofReport},
		"expired": {func(Appended) error {
			_, err := s.Deliveries.Expire(t.Context(), time.Now().Add(time.Hour))
			return err
		}, parley.EndedExpired},
		"retried": {func(done Appended) error {
			must.Do(t, s.Deliveries.Claim(t.Context(), key(done), 1, false))
			must.Do(t, s.Deliveries.Advance(t.Context(), key(done), Change{State: parley.DeliveryFailed, Reason: "x"}))
			_, err := s.Deliveries.Retry(t.Context(), done.Message.ID, again(1))
			return err
		}, parley.ProofRetried},
		"no answer": {func(done Appended) error {
			must.Do(t, s.Deliveries.Advance(t.Context(), key(done), submitted))
			call := ModelCall{CallerID: agentID(0)}
			call.AgentID, call.MessageID = agentID(1), done.Message.ID
			return s.Responders.Unanswered(t.Context(), call, "no answer: x")
		}, parley.EndedNoAnswer},
		"withheld again": {func(done Appended) error {
			w := Withheld{Job: Job{Key: key(done), Reason: "they have said enough"}, Why: "pair-budget"}
			return s.Holds.Rewithhold(t.Context(), []Withheld{w})
		}, parley.HoldConversation},
		"released": {func(done Appended) error {
			_, err := s.Holds.Unwithhold(t.Context(), []Passing{{key(done), parley.DeliveryQueued}}, "x")
			return err
		}, parley.ProofReleased},
	} {
		t.Run(name, func(t *testing.T) {
			p := post(0, 1)
			if c.want == parley.HoldConversation || c.want == parley.ProofReleased {
				d := &p.Deliveries[0]
				d.State, d.Reason, d.Withheld = parley.DeliveryHeld, "wait", "chain-too-long"
			}

			done := send(t, s, p)
			must.Do(t, c.do(done))
			d := delivery(t, s, done.Message.ID, 1)
			if got := d.Steps[len(d.Steps)-1].Code; got != c.want {
				t.Errorf("last step: got code %q, want %q", got, c.want)
			}
			if d.Reason != "" && d.ReasonCode != c.want {
				t.Errorf("reason: got code %q, want %q", d.ReasonCode, c.want)
			}
		})
	}
}
