package talk

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

func TestNewMessageWaitsBehindTheLatestInItsDirection(t *testing.T) {
	held := func(seq int64, from, to string, why conversation.Reason, until time.Time) *hold {
		return &hold{Withheld: store.Withheld{Why: string(why), Until: until, Job: store.Job{
			Key:     store.Key{MessageSeq: seq, RecipientID: to},
			Message: parley.Message{SenderID: from},
		}}}
	}

	later := time.Now().Add(time.Minute)
	hs := newHolds()
	hs.keep(held(1, "anna", "bob", conversation.PairSpent, later))
	hs.keep(held(2, "anna", "bob", conversation.PairSpent, later))
	hs.keep(held(3, "anna", "bob", conversation.ChainSpent, time.Time{})) // passes only when a person writes
	hs.keep(held(4, "bob", "anna", conversation.PairSpent, later))

	newRequest := func(from, to string, fresh bool) request {
		return request{
			msg:   &parley.Message{SenderID: from},
			to:    team.NewMember(parley.Agent{ID: to}),
			fresh: fresh,
		}
	}
	wait := func(want int64, r request) {
		t.Helper()
		got := int64(0)
		if h := hs.waitingBefore(r); h != nil {
			got = h.Key.MessageSeq
		}
		if got != want {
			t.Errorf("the message waits behind %d, want %d", got, want)
		}
	}

	wait(2, newRequest("anna", "bob", true))
	wait(4, newRequest("bob", "anna", true))
	wait(0, newRequest("anna", "cleo", true))
	wait(0, newRequest("anna", "bob", false)) // it was held itself

	hs.drop(store.Key{MessageSeq: 2, RecipientID: "bob"})
	wait(1, newRequest("anna", "bob", true))
	hs.drop(store.Key{MessageSeq: 1, RecipientID: "bob"})
	wait(0, newRequest("anna", "bob", true))
}

func TestWordOfAPersonFreesWhatItCan(t *testing.T) {
	now := time.Now()
	post := func(thread string, at time.Time) parley.Message {
		return parley.Message{ThreadID: thread, Timestamp: at}
	}
	for name, test := range map[string]struct {
		why  conversation.Reason
		held parley.Message
		want bool
	}{
		"a spent budget, anywhere":      {conversation.ChainSpent, post("", now), true},
		"a cooled conversation":         {conversation.CooledDown, post("", now), true},
		"a muted one":                   {conversation.MutedByOperator, post("thread", now), false},
		"a rule, in the same thread":    {conversation.HumansDisengaged, post("thread", now), true},
		"a rule, too long ago":          {conversation.HumansDisengaged, post("thread", now.Add(-stale)), false},
		"a rule, in a different thread": {conversation.HumansDisengaged, post("other", now), false},
	} {
		h := &hold{Withheld: store.Withheld{Why: string(test.why), Job: store.Job{Message: test.held}}}
		said := post("thread", now)
		if got := h.mayPassAfter(&said); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
