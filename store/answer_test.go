package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// require stores a message of agent 0 that other agents must answer.
func require(t *testing.T, s *Store, to ...int) Appended {
	t.Helper()
	p, due := post(0, to...), time.Now().Add(time.Hour)
	p.Message.RequiresResponse, p.Message.ResponseDeadline = true, &due
	return must.Have(s.Messages.Append(t.Context(), p))(t)
}

func reply(from int, original Appended, status parley.ResponseStatus) Post {
	p := post(from, 0)
	p.Message.InReplyTo, p.Message.ResponseStatus = original.Message.ID, status
	p.Answers = &Answering{MessageID: original.Message.ID, Status: status}
	return p
}

func ladder(t *testing.T, s *Store, id string) (parley.Delivery, []parley.DeliveryState) {
	t.Helper()
	_, ds, err := s.Messages.Message(t.Context(), id)
	must.Do(t, err)
	states := []parley.DeliveryState{}
	for _, step := range ds[0].Steps {
		states = append(states, step.State)
	}
	return ds[0], states
}

func TestAnswerReachesLastRungFromEveryState(t *testing.T) {
	s := openWith(t, 2)
	claim := func(k Key, announced bool) { must.Do(t, s.Deliveries.Claim(t.Context(), k, 1, announced)) }
	advance := func(k Key, states ...parley.DeliveryState) {
		var changes []Change
		for _, state := range states {
			changes = append(changes, Change{State: state})
		}
		must.Do(t, s.Deliveries.Advance(t.Context(), k, changes...))
	}

	for name, c := range map[string]struct {
		before func(Key)
		want   []parley.DeliveryState
		after  func(Key) // the courier goes on, unaware of the answer
	}{
		"queued": {
			func(Key) {},
			[]parley.DeliveryState{"queued", "read", "answered"},
			func(k Key) {
				if err := s.Deliveries.Claim(t.Context(), k, 1, false); err != ErrStale {
					t.Errorf("a claim of an answered message: %v, want %v", err, ErrStale)
				}
			},
		},
		"typing": {
			func(k Key) { claim(k, false) },
			[]parley.DeliveryState{"queued", "typing", "submitted", "read", "answered"},
			func(k Key) { advance(k, "submitted", "read") },
		},
		"typing an announcement": {
			func(k Key) { claim(k, true) },
			[]parley.DeliveryState{"queued", "typing", "submitted", "read", "answered"},
			func(k Key) { advance(k, "submitted") },
		},
		"read": {
			func(k Key) { claim(k, false); advance(k, "submitted", "read") },
			[]parley.DeliveryState{"queued", "typing", "submitted", "read", "answered"},
			func(Key) {},
		},
		"unconfirmed": {
			func(k Key) { claim(k, false); advance(k, "unconfirmed") },
			[]parley.DeliveryState{"queued", "typing", "unconfirmed", "read", "answered"},
			func(Key) {},
		},
	} {
		question := require(t, s, 1)
		k := Key{question.Seq, agentID(1)}
		c.before(k)
		answer := must.Have(s.Messages.Append(t.Context(), reply(1, question, "")))(t)
		if !answer.Updated {
			t.Errorf("%s: the original is not updated", name)
		}

		c.after(k)
		d, got := ladder(t, s, question.Message.ID)
		if diff := cmp.Diff(c.want, got); diff != "" || d.State != parley.DeliveryAnswered ||
			d.AnsweredBy != answer.Message.ID ||
			d.ReadAt == nil ||
			d.AnsweredAt == nil {
			t.Errorf("%s: %s\n%+v", name, diff, d)
		}
	}
}

func TestRefusedResponseStoresNothing(t *testing.T) {
	s := openWith(t, 2)
	plain := must.Have(s.Messages.Append(t.Context(), post(0, 1)))(t)
	last := s.Events.LastEvent()
	p := reply(1, plain, parley.ResponseCompleted)
	if _, err := s.Messages.Append(t.Context(), p); parley.ErrorCode(err) != parley.ResponseNotRequired {
		t.Errorf("got %v, want %s", err, parley.ResponseNotRequired)
	}

	if _, _, err := s.Messages.Message(t.Context(), p.Message.ID); parley.ErrorCode(err) != parley.MessageNotFound ||
		s.Events.LastEvent() != last {
		t.Errorf("it is stored (%v), or an event tells of it", err)
	}
}

func TestDelegateOwesOnce(t *testing.T) {
	s := openWith(t, 3)
	question := require(t, s, 1, 2)
	p := reply(1, question, parley.ResponseDelegated)
	p.Answers.Delegates = []NewDelivery{{RecipientID: agentID(2), State: parley.DeliveryQueued}}
	done := must.Have(s.Messages.Append(t.Context(), p))(t)
	if len(done.Passed) != 0 {
		t.Errorf("what agent 2 has already is typed again: %+v", done.Passed)
	}

	back := reply(2, question, parley.ResponseDelegated)
	back.Answers.Delegates = []NewDelivery{{RecipientID: agentID(1), State: parley.DeliveryQueued}}
	must.Have(s.Messages.Append(t.Context(), back))(t)
	counts := must.Have(s.Inbox.Counts(t.Context()))(t)
	if counts[agentID(1)].Owed != 1 || counts[agentID(2)].Owed != 0 {
		t.Errorf("they owe %d and %d, want 1 and 0", counts[agentID(1)].Owed, counts[agentID(2)].Owed)
	}
}

func TestTerminatedAgentsOweNothing(t *testing.T) {
	s := openWith(t, 2)
	p, due := post(0, 1), time.Now().Add(time.Hour)
	p.Deliveries[0].State = parley.DeliveryFailed
	p.Message.RequiresResponse, p.Message.ResponseDeadline = true, &due
	stored := must.Have(s.Messages.Append(t.Context(), p))(t)
	if debts, err := s.Debts.List(t.Context(), stored.Message.ID); err != nil || len(debts) != 0 {
		t.Errorf("the debts are %+v, %v, want none", debts, err)
	}
}
