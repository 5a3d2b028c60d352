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
	want.Device = parley.Device{Browser: "Chrome on Android", Address: "192.168.1.7"}
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

func TestEachResponseIsCountedOnce(t *testing.T) {
	s := openWith(t, 2)
	ids := []string{agentID(0), agentID(1)}
	at := time.Unix(1_800_000_000, 0)
	from := Transcript{AgentID: ids[0], Path: "/t.jsonl", Form: "claude", Since: at, Position: 7, Model: "m",
		SeenAt: at}
	record := func(id, day string, output int64) TokenRecord {
		return TokenRecord{ID: id, At: at, Day: day, Model: "m", Tokens: parley.Tokens{Input: 10, Output: output}}
	}

	must.Do(t,
		s.Tokens.CountTokens(t.Context(), from,
			[]TokenRecord{record("a", "2026-01-01", 1), record("a", "2026-01-01", 5)}))
	from.Position = 9
	must.Do(t, s.Tokens.CountTokens(t.Context(), from, []TokenRecord{
		record("a", "2026-01-01", 3), // a copy of the first
		record("b", "2026-01-01", 2),
		record("c", "2026-01-02", 4),
	}))
	copied := from
	copied.AgentID = ids[1]
	must.Do(t,
		s.Tokens.CountTokens(t.Context(), copied,
			[]TokenRecord{record("a", "2026-01-03", 6), record("d", "2026-01-03", 1)}))

	want := map[string]parley.Tokens{
		ids[0] + " 2026-01-01": {Input: 20, Output: 8}, // what more the copy told is of the same response
		ids[0] + " 2026-01-02": {Input: 10, Output: 4},
		ids[1] + " 2026-01-03": {Input: 10, Output: 1},
	}
	got := map[string]parley.Tokens{}
	for _, d := range must.Have(s.Tokens.TokenDays(t.Context(), "", ""))(t) {
		got[d.AgentID+" "+d.Day] = d.Tokens
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if one := must.Have(s.Tokens.TokenDays(t.Context(), ids[0], "2026-01-02"))(t); len(one) != 1 ||
		one[0].Responses != 1 {
		t.Errorf("from the second day on: %+v", one)
	}

	if diff := cmp.Diff([]Transcript{from}, must.Have(s.Tokens.Transcripts(t.Context(), at))(t)[:1]); diff != "" {
		t.Errorf("transcripts (-want +got):\n%s", diff)
	}
}

func TestHoursAreOfTheAgentThatPaid(t *testing.T) {
	s := openWith(t, 2)
	ids := []string{agentID(0), agentID(1)}
	hour := int64(500_000)
	at := func(minutes int64) time.Time { return time.Unix(hour*3600+minutes*60, 0) }
	record := func(id, model string, minutes, output int64) TokenRecord {
		return TokenRecord{ID: id, At: at(minutes), Day: "2027-01-15", Model: model,
			Tokens: parley.Tokens{Input: 10, Output: output}}
	}
	count := func(agentID string, records ...TokenRecord) {
		from := Transcript{AgentID: agentID, Path: "/" + agentID, Form: "claude", SeenAt: at(0)}
		must.Do(t, s.Tokens.CountTokens(t.Context(), from, records))
	}
	count(ids[0], record("old", "m", -1, 99), record("a", "m", 1, 1), record("b", "m", 59, 2), record("c", "n", 59, 4))
	count(ids[1], record("a", "m", 1, 1), record("d", "m", 60, 8)) // the first is a copy

	want := []TokenHour{
		{AgentID: ids[0], Model: "m", Hour: hour, Responses: 2, Tokens: parley.Tokens{Input: 20, Output: 3}},
		{AgentID: ids[0], Model: "n", Hour: hour, Responses: 1, Tokens: parley.Tokens{Input: 10, Output: 4}},
		{AgentID: ids[1], Model: "m", Hour: hour + 1, Responses: 1, Tokens: parley.Tokens{Input: 10, Output: 8}},
	}
	if diff := cmp.Diff(want, must.Have(s.Tokens.TokenHours(t.Context(), at(0)))(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestForgottenResponsesStayInTheSums(t *testing.T) {
	s := openWith(t, 1)
	ids := []string{agentID(0)}
	at := time.Unix(1_800_000_000, 0)
	from := Transcript{AgentID: ids[0], Path: "/t.jsonl", Form: "claude", SeenAt: at}
	one := TokenRecord{ID: "a", At: at, Day: "2026-01-01", Model: "m", Tokens: parley.Tokens{Output: 1}}
	must.Do(t, s.Tokens.CountTokens(t.Context(), from, []TokenRecord{one}))
	must.Do(t, s.Tokens.ForgetTokenRecords(t.Context(), at.Add(time.Second)))
	if days := must.Have(s.Tokens.TokenDays(t.Context(), "", ""))(t); len(days) != 1 || days[0].Tokens.Output != 1 {
		t.Errorf("%+v", days)
	}
}
