package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

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
