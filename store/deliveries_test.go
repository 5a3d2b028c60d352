package store

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

func TestPendingIsUrgentFirstThenInOrder(t *testing.T) {
	s := openWith(t, 3)
	var want []string
	for i := range 6 {
		p := post(0, 1)
		if i >= 4 {
			p.Message.Priority = parley.PriorityUrgent
		}
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

	if last := jobs[2]; last.QueuedAt.IsZero() || last.Message.Sender != agentName(0) ||
		last.State != parley.DeliveryQueued {
		t.Errorf("the first that was not urgent: %+v", last)
	}

	if some, err := s.Deliveries.Pending(t.Context(), agentID(1), 2); err != nil || len(some) != 2 {
		t.Errorf("with a limit of 2: got %d, %v", len(some), err)
	}
}

func TestExpireEndsOldDeliveries(t *testing.T) {
	s := openTest(t)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.db.base.Now = func() time.Time { return clock }
	addAgents(t, s, 2)
	const many = expireBatch + 20
	for range many {
		send(t, s, post(0, 1))
	}

	typed := pending(t, s, 1)[0].Key
	must.Do(t, s.Deliveries.Claim(t.Context(), typed, 1, false))
	clock = clock.Add(time.Hour)
	young := send(t, s, post(0, 1)).Message.ID

	keys, err := s.Deliveries.Expire(t.Context(), clock)
	if err != nil || len(keys) != many-1 {
		t.Fatalf("got %d keys, %v, want %d", len(keys), err, many-1)
	}
	if jobs := pending(t, s, 1); len(jobs) != 1 || jobs[0].Message.ID != young {
		t.Errorf("still pending: %+v", jobs)
	}

	counts, err := s.Workspace.DeliveryCounts(t.Context())
	want := map[string]int{"expired": many - 1, "typing": 1, "queued": 1}
	if diff := cmp.Diff(want, counts); diff != "" || err != nil {
		t.Errorf("DeliveryCounts: %v, -want +got:\n%s", err, diff)
	}
}

// The claims of a broadcast are expected after it, and its outcomes after the claims.
func TestEachRoundOfABroadcastExpectsTheNext(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)
	p := post(0, 1, 2, 3)
	for i := range p.Deliveries {
		p.Deliveries[i].State = parley.DeliveryQueued
	}

	stored := must.Have(s.Messages.Append(t.Context(), p))(t)
	if got := expectedOf(t, s, claimOf(stored.Seq)); got != 3 {
		t.Errorf("%d claims are expected, want 3", got)
	}

	for n := range 3 {
		must.Do(t, s.Deliveries.Claim(t.Context(), Key{stored.Seq, agentID(n + 1)}, 1, false))
	}
	if got := expectedOf(t, s, outcomeOf(stored.Seq)); got > 3 {
		t.Errorf("%d outcomes are expected, want 3 at most", got)
	}
}

// expectedOf asks the writing goroutine.
func expectedOf(t *testing.T, s *Store, r engine.Round) int {
	t.Helper()
	got := 0
	err := s.db.write(t.Context(), "asking", func(*tx) error { got = s.db.base.Queue.Expected(r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCodesAreKeptWithReasonsAndSteps(t *testing.T) {
	s := openWith(t, 2)
	p := post(0, 1)
	p.Deliveries[0].Cause = parley.ProofStored.With("")
	done := send(t, s, p)
	k := Key{done.Seq, agentID(1)}
	if got := done.Deliveries[0]; got.ReasonCode != "" || got.Steps[0].Code != parley.ProofStored {
		t.Errorf("stored: got reason code %q, step %+v", got.ReasonCode, got.Steps[0])
	}

	hold := Change{State: parley.DeliveryHeld, Cause: parley.HoldBusy.In("it is busy")}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, hold))
	if got := pending(t, s, 1)[0].Code(); got != parley.HoldBusy {
		t.Errorf("job: got code %q, want %q", got, parley.HoldBusy)
	}

	must.Do(t, s.Deliveries.Claim(t.Context(), k, 1, false))
	lost := Change{State: parley.DeliveryUnconfirmed, Cause: parley.EndedUnseen.In("it may be lost")}
	if got := delivery(t, s, done.Message.ID, 1).ReasonCode; got != "" {
		t.Errorf("while it is typed: got reason code %q, want none", got)
	}

	must.Do(t, s.Deliveries.Advance(t.Context(), k, lost))
	if got := delivery(t, s, done.Message.ID, 1).ReasonCode; got != parley.EndedUnseen {
		t.Errorf("unconfirmed: got reason code %q, want %q", got, parley.EndedUnseen)
	}

	must.Do(t,
		s.Deliveries.Advance(t.Context(), k,
			Change{State: parley.DeliverySubmitted, Cause: parley.ProofRead.In("x")}))
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
			failed := Change{State: parley.DeliveryFailed, Cause: parley.EndedTerminated.With("")}
			must.Do(t, s.Deliveries.Advance(t.Context(), key(done), failed))
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
			why := parley.HoldConversation.With("they have said enough")
			w := Withheld{Job: Job{Key: key(done), Cause: why}, Why: "pair-budget"}
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
				d.State, d.Withheld = parley.DeliveryHeld, "chain-too-long"
				d.Cause = parley.HoldConversation.With("wait")
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

// unproven stores a message for one recipient, whose delivery ends without proof.
func unproven(t *testing.T, s *Store, end parley.DeliveryState) (id string, k Key) {
	t.Helper()
	done := send(t, s, post(0, 1))
	k = Key{done.Seq, agentID(1)}
	if end == parley.DeliveryUnconfirmed {
		must.Do(t, s.Deliveries.Claim(t.Context(), k, 7, false))
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, Change{State: end, Cause: parley.HoldRefused.With("nobody knows")}))
	return done.Message.ID, k
}

func again(n int) []NewDelivery {
	retried := parley.ProofRetried.With("retried")
	return []NewDelivery{{RecipientID: agentID(n), State: parley.DeliveryQueued, Cause: retried}}
}

func TestRetryQueuesUnprovenDeliveries(t *testing.T) {
	s := openWith(t, 2)
	for _, end := range []parley.DeliveryState{parley.DeliveryUnconfirmed, parley.DeliveryFailed,
		parley.DeliveryExpired} {
		id, k := unproven(t, s, end)
		before := delivery(t, s, id, 1)
		events := s.Events.LastEvent()
		jobs, err := s.Deliveries.Retry(t.Context(), id, again(1))
		if err != nil || len(jobs) != 1 || jobs[0].Key != k || jobs[0].State != parley.DeliveryQueued ||
			jobs[0].Message.ID != id {
			t.Fatalf("%s: got %+v, %v, want its job", end, jobs, err)
		}

		d := delivery(t, s, id, 1)
		last := d.Steps[len(d.Steps)-1]
		if d.State != parley.DeliveryQueued || d.Reason != "" || last.Evidence != "retried" {
			t.Errorf("%s: got %+v", end, d)
		}
		if !slices.Equal(states(d)[:len(before.Steps)], states(before)) {
			t.Errorf("%s: the steps were %v and are %v", end, states(before), states(d))
		}
		if s.Events.LastEvent() != events+1 {
			t.Errorf("%s: %d events, want one", end, s.Events.LastEvent()-events)
		}

		must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
		must.Do(t, s.Deliveries.Advance(t.Context(), k,
			Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("seen")}))
	}
}

func TestRetryLeavesProvenAndOpenDeliveries(t *testing.T) {
	s := openWith(t, 2)
	for _, to := range [][]parley.DeliveryState{{}, {"held"}, {"submitted"}, {"read"}} {
		done := send(t, s, post(0, 1))
		for _, state := range to {
			must.Do(t, s.Deliveries.Advance(t.Context(), Key{done.Seq, agentID(1)},
				Change{State: state, Cause: parley.HoldRefused.With("so")}))
		}

		before := delivery(t, s, done.Message.ID, 1)
		jobs, err := s.Deliveries.Retry(t.Context(), done.Message.ID, again(1))
		if d := delivery(t, s, done.Message.ID, 1); err != nil || len(jobs) != 0 || len(d.Steps) != len(before.Steps) {
			t.Errorf("%v: got %+v, %v; the delivery is %+v", to, jobs, err, d)
		}
	}

	id, _ := unproven(t, s, parley.DeliveryUnconfirmed)
	if jobs, err := s.Deliveries.Retry(t.Context(), id, again(0)); err != nil || len(jobs) != 0 {
		t.Errorf("of one who is no recipient: got %+v, %v", jobs, err)
	}
}

// The waiting time of a retried delivery starts from zero: otherwise one that had expired
// would expire again at once.
func TestRetryRestartsExpiry(t *testing.T) {
	s := openWith(t, 2)
	id, _ := unproven(t, s, parley.DeliveryExpired)
	late := time.Now()
	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	if expired, err := s.Deliveries.Expire(t.Context(), late); err != nil || len(expired) != 0 {
		t.Errorf("expired %v, %v; want none", expired, err)
	}
}

func TestTypedAsFindsWhatIsNotProven(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id, k := unproven(t, s, parley.DeliveryUnconfirmed)
	find := func(paneSeq uint64) *TypedJob {
		t.Helper()
		job, err := s.Deliveries.TypedAs(t.Context(), k.RecipientID, paneSeq)
		must.Do(t, err)
		return job
	}

	if got := find(8); got != nil {
		t.Errorf("another number finds %+v", got)
	}
	if got := find(7); got == nil || got.Key != k || got.Waits() || got.Dismissed {
		t.Fatalf("got %+v, want the unconfirmed delivery", got)
	}
	_, err := s.Needs.Dismiss(t.Context(), id)
	must.Do(t, err)
	if got := find(7); got == nil || !got.Dismissed {
		t.Errorf("got %+v, want it dismissed", got)
	}
	_, err = s.Deliveries.Retry(t.Context(), id, again(1))
	must.Do(t, err)
	if got := find(7); got == nil || !got.Waits() || got.Dismissed {
		t.Errorf("after a retry: got %+v, want that it waits", got)
	}
	must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
	if got := find(7); got != nil {
		t.Errorf("typed again: the old number finds %+v", got)
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), k,
		Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("seen")}))
	if got := find(8); got != nil {
		t.Errorf("a proven delivery is found: %+v", got)
	}
}

// The screen shows a text that the program refused, which proves nothing.
func TestTypedAsLeavesOutWhatTheProgramRefused(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id, k := unproven(t, s, parley.DeliveryUnconfirmed)
	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
	refused := Change{State: parley.DeliveryUnconfirmed, Cause: parley.EndedRefused.In("signed out")}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, refused))
	if got := must.Have(s.Deliveries.TypedAs(t.Context(), k.RecipientID, 8))(t); got != nil {
		t.Errorf("got %+v", got)
	}

	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	if got := must.Have(s.Deliveries.TypedAs(t.Context(), k.RecipientID, 8))(t); got != nil {
		t.Errorf("after a retry: got %+v", got)
	}
}
