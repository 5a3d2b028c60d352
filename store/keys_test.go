package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func testKey(id string, hash ...byte) *APIKey {
	return &APIKey{
		Hash: hash,
		Key:  parley.Key{KeyID: id, Origin: parley.KeyIssued, CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
}

// keyIDs returns the IDs of an agent's keys.
func keyIDs(t *testing.T, s *Store, agent string) []string {
	t.Helper()
	keys := must.Have(s.Keys.List(t.Context()))(t)
	ids := []string{}
	for _, k := range keys {
		if k.AgentID == agent {
			ids = append(ids, k.KeyID)
		}
	}
	return ids
}

func TestSwapKeysEndsAndAddsInOneStep(t *testing.T) {
	s := openWith(t, 2)
	must.Do(t, s.Keys.SwapKeys(t.Context(),
		KeySwap{AgentID: agentID(0), Added: testKey("parley_a", 1), By: "operator"}))
	must.Do(t, s.Keys.SwapKeys(t.Context(),
		KeySwap{AgentID: agentID(0), Added: testKey("parley_b", 2), By: "operator"}))
	must.Do(t, s.Keys.SwapKeys(t.Context(),
		KeySwap{AgentID: agentID(1), Added: testKey("parley_c", 3), By: "operator"}))
	ends := func(ids ...string) func() []string { return func() []string { return ids } }
	must.Do(t, s.Keys.SwapKeys(t.Context(), KeySwap{AgentID: agentID(0), Ends: ends("parley_a", "parley_c", "unknown"),
		Added: testKey("parley_d", 4), By: "operator"}))

	if diff := cmp.Diff([]string{"parley_b", "parley_d"}, keyIDs(t, s, agentID(0))); diff != "" {
		t.Errorf("keys: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"parley_c"}, keyIDs(t, s, agentID(1))); diff != "" {
		t.Errorf("keys of another agent: -want +got:\n%s", diff)
	}

	stored := false
	wantCode(t, "a key for nobody", s.Keys.SwapKeys(t.Context(),
		KeySwap{AgentID: "nobody", Added: testKey("parley_e", 5),
			By: "operator", Stored: func() { stored = true }}), parley.AgentNotFound)
	err := s.Keys.SwapKeys(t.Context(), KeySwap{AgentID: agentID(0), Ends: ends("parley_b"),
		Added: testKey("parley_d", 6),
		By:    "operator", Stored: func() { stored = true }})
	if err == nil {
		t.Error("two keys of one id were stored")
	}
	if diff := cmp.Diff([]string{"parley_b", "parley_d"}, keyIDs(t, s, agentID(0))); diff != "" {
		t.Errorf("after a swap that failed: -want +got:\n%s", diff)
	}
	if stored {
		t.Error("a swap that failed counts as stored")
	}

	if log := agentLog(t, s, 0); len(log) != 5 { // created, a, b, a ended, d
		t.Errorf("agent log: got %+v", log)
	}
}

func TestKeysAreReadAsStored(t *testing.T) {
	s := openWith(t, 1)
	want := *testKey("parley_a", 0, 1, 0)
	must.Do(t, s.Keys.SwapKeys(t.Context(), KeySwap{AgentID: agentID(0), Added: &want, By: "operator"}))
	want.AgentID = agentID(0)
	at := time.Date(2026, 2, 2, 2, 2, 2, 2, time.UTC)
	for i, used := range []time.Time{{}, at, at.Add(-time.Hour)} {
		if i > 0 {
			want.LastUsed = &at
			must.Do(t, s.Keys.TouchKeys(t.Context(), map[string]time.Time{"parley_a": used, "unknown": used}))
		}

		got := must.Have(s.Keys.List(t.Context()))(t)
		if diff := cmp.Diff([]APIKey{want}, got); diff != "" {
			t.Errorf("step %d: -want +got:\n%s", i, diff)
		}
	}
}

func TestSetResponderRecordsTheDecision(t *testing.T) {
	s := openWith(t, 1)
	for _, approval := range []parley.Approval{parley.ApprovalPending, parley.ApprovalGiven, parley.ApprovalDeclined} {
		a := parley.Agent{
			ID:       agentID(0),
			Name:     "agent0",
			Kind:     parley.KindMailbox,
			State:    parley.StateIdle,
			Approval: approval,
		}

		must.Do(t, s.Responders.SetResponder(t.Context(), a))
		got, err := s.Agents.List(t.Context())
		if err != nil || got[0].Approval != approval || got[0].IsSpecial != (approval == parley.ApprovalGiven) {
			t.Errorf("%s: got %+v, %v", approval, got, err)
		}
	}

	wantCode(t, "nobody", s.Responders.SetResponder(t.Context(), parley.Agent{ID: "nobody"}), parley.AgentNotFound)
}
