package talk

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
	"parley/store/storetest"
)

// pairTalk returns the protocol for two terminals, which may exchange one message a minute.
func pairTalk(t *testing.T) *Talk {
	t.Helper()
	db, log := storetest.Open(t), slog.New(slog.DiscardHandler)
	roster := must.Have(team.Load(t.Context(), db, time.Now, log))(t)
	for _, name := range []string{"anna", "bob"} {
		a := parley.Agent{ID: name, Name: name, Kind: parley.KindTerminal}
		must.Do(t, db.Agents.CreateAgent(t.Context(), a, nil))
		roster.Add(team.NewMember(a))
	}
	settings := conversation.Defaults()
	settings.PairMinute = 1
	return must.Have(Load(t.Context(), Options{
		Store: db, Roster: roster, Settings: settings, Now: time.Now, Log: log,
	}))(t)
}

// A call that ends in between, or a database that fails, leaves every hold to the next Recheck.
func TestHoldsOutliveARecheckThatFails(t *testing.T) {
	talk := pairTalk(t)
	for seq := range int64(3) {
		talk.Memory.holds.keep(&hold{due: true,
			Withheld: store.Withheld{Why: string(conversation.ChainSpent), Job: store.Job{
				Key:     store.Key{MessageSeq: seq, RecipientID: "bob"},
				Message: parley.Message{SenderID: "anna", ChainID: "chain"},
			}}})
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := talk.Recheck(ended); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the end of the call", err)
	}

	reasons := map[string]int{}
	for _, h := range talk.Memory.holds.byKey {
		reasons[h.Why]++
		if !h.due {
			t.Errorf("the hold of message %d is not judged again", h.Key.MessageSeq)
		}
	}
	if reasons[string(conversation.ChainSpent)] != 1 || reasons[string(conversation.PairSpent)] != 2 {
		t.Errorf("held are %v, want the one that was to pass and the two that were not", reasons)
	}
}

// A person may have renewed the budgets, or the operator may have ended a mute, before the hold was read.
func TestHoldThatWasMissedIsJudgedAgain(t *testing.T) {
	for why, want := range map[conversation.Reason]bool{
		conversation.ChainSpent:       true,
		conversation.MutedByOperator:  true,
		conversation.HumansDisengaged: false,
	} {
		talk := pairTalk(t)
		must.Have(talk.Memory.store.Messages.Append(t.Context(), store.Post{
			Message: parley.Message{ID: team.NewID(), Kind: parley.KindDirect, SenderID: "anna", Text: "well"},
			Deliveries: []store.NewDelivery{
				{RecipientID: "bob", State: parley.DeliveryHeld,
					Cause: parley.HoldConversation.With("held"), Withheld: string(why)},
			},
		}))(t)

		talk.Memory.missed = true
		talk.Compare(t.Context())

		if len(talk.Memory.holds.byKey) != 1 {
			t.Fatalf("the holds are %+v, want one", talk.Memory.holds.byKey)
		}
		for _, h := range talk.Memory.holds.byKey {
			if h.due != want {
				t.Errorf("a hold for %s is judged again: %v, want %v", why, h.due, want)
			}
		}
	}
}

// The posts of a thread that cannot be read stay held, and no other message waits for them.
func TestPostsOfAnUnknownThreadStayHeld(t *testing.T) {
	talk := pairTalk(t)
	for seq, thread := range map[int64]string{1: "", 2: "gone"} {
		talk.Memory.holds.keep(&hold{due: true,
			Withheld: store.Withheld{Why: string(conversation.ChainSpent), Job: store.Job{
				Key:     store.Key{MessageSeq: seq, RecipientID: "bob"},
				Message: parley.Message{SenderID: "anna", ChainID: "chain", ThreadID: thread},
			}}})
	}

	if _, err := talk.Recheck(t.Context()); parley.ErrorCode(err) != parley.ThreadNotFound {
		t.Errorf("got %v, want %s", err, parley.ThreadNotFound)
	}
	if h := talk.Memory.holds.byKey[store.Key{MessageSeq: 2, RecipientID: "bob"}]; len(talk.Memory.holds.byKey) != 1 ||
		h == nil {
		t.Errorf("the holds are %+v, want that of the post", talk.Memory.holds.byKey)
	}
}
