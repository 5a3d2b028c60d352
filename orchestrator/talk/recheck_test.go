package talk

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/conversation"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/store"
	"parley/store/storetest"
)

// A call that ends in between, or a database that fails, leaves every hold to the next Recheck.
func TestHoldsOutliveARecheckThatFails(t *testing.T) {
	db, log := storetest.Open(t), slog.New(slog.DiscardHandler)
	roster := must.Have(team.Load(t.Context(), db, time.Now, log))(t)
	for _, name := range []string{"anna", "bob"} {
		roster.Add(team.NewMember(parley.Agent{ID: name, Name: name, Kind: parley.KindTerminal}))
	}
	settings := conversation.Defaults()
	settings.PairMinute = 1
	talk := must.Have(Load(t.Context(), Options{
		Store: db, Roster: roster, Settings: settings, Now: time.Now, Log: log,
	}))(t)
	for seq := range int64(3) {
		talk.holds.keep(&hold{due: true, Withheld: store.Withheld{Why: string(conversation.ChainSpent), Job: store.Job{
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
	for _, h := range talk.holds.byKey {
		reasons[h.Why]++
		if !h.due {
			t.Errorf("the hold of message %d is not judged again", h.Key.MessageSeq)
		}
	}
	if reasons[string(conversation.ChainSpent)] != 1 || reasons[string(conversation.PairSpent)] != 2 {
		t.Errorf("held are %v, want the one that was to pass and the two that were not", reasons)
	}
}
