package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// sayAs stores a message as a function changes it.
func sayAs(t *testing.T, s *Store, text string, from, to int, as func(*parley.Message)) Appended {
	t.Helper()
	p := post(from, to)
	p.Message.Text = text
	as(&p.Message)
	return must.Have(s.Messages.Append(t.Context(), p))(t)
}

// A message to several is found by the state of the delivery to the one who is named.
func TestSearchForAStateOfARecipient(t *testing.T) {
	s := openWith(t, 3)
	p := post(0, 1, 2)
	p.Message.Text = "to both"
	p.Deliveries[1].State = parley.DeliverySubmitted
	send(t, s, p)

	queued := SearchMatch{States: []parley.DeliveryState{parley.DeliveryQueued}}
	wantFound(t, s, SearchQuery{To: []string{agentID(1)}, Match: queued}, "to both")
	wantFound(t, s, SearchQuery{To: []string{agentID(2)}, Match: queued})
	wantFound(t, s, SearchQuery{To: []string{agentID(2)}, Match: SearchMatch{
		States: []parley.DeliveryState{parley.DeliverySubmitted}}}, "to both")
}

func TestSearchMatchesWhatMessagesAre(t *testing.T) {
	s := openWith(t, 3)
	plain := func(*parley.Message) {}
	sayAs(t, s, "one", 0, 1, plain)
	sayAs(t, s, "two", 1, 0, func(m *parley.Message) { m.Type, m.RequiresResponse = parley.TypeRequest, true })
	sayAs(t, s, "three", 2, 0, func(m *parley.Message) { m.Priority = parley.PriorityHigh })

	agent := func(n int) []string { return []string{agentID(n)} }
	for name, c := range map[string]struct {
		q    SearchQuery
		want []string
	}{
		"nothing": {SearchQuery{}, []string{"three", "two", "one"}},
		"type": {SearchQuery{Match: SearchMatch{Types: []parley.MessageType{parley.TypeRequest}}},
			[]string{"two"}},
		"the usual type": {SearchQuery{Match: SearchMatch{Types: []parley.MessageType{parley.TypeInformation}}},
			[]string{"three", "one"}},
		"priority": {SearchQuery{Match: SearchMatch{Priorities: []parley.Priority{parley.PriorityHigh}}},
			[]string{"three"}},
		"priority and agent": {SearchQuery{Agents: agent(1),
			Match: SearchMatch{Priorities: []parley.Priority{parley.PriorityHigh}}}, nil},
		"kind":        {SearchQuery{Match: SearchMatch{Kinds: []parley.MessageKind{parley.KindThread}}}, nil},
		"asks":        {SearchQuery{Match: SearchMatch{Asks: true}}, []string{"two"}},
		"files":       {SearchQuery{Match: SearchMatch{Files: true}}, nil},
		"answers":     {SearchQuery{Match: SearchMatch{Answers: true}}, nil},
		"agent":       {SearchQuery{Agents: agent(1)}, []string{"two", "one"}},
		"two senders": {SearchQuery{From: []string{agentID(1), agentID(2)}}, []string{"three", "two"}},
		"a beginning": {SearchQuery{Words: "thr", Begun: true}, []string{"three"}},
		"a name, or a word": {SearchQuery{Words: "tw", Begun: true, Named: map[string][]string{"tw": agent(2)}},
			[]string{"three"}},
		"a word, or a name": {SearchQuery{Words: "one", Named: map[string][]string{"one": agent(2)}},
			[]string{"three", "one"}},
		"a phrase or a name": {SearchQuery{Words: "t-wo", Named: map[string][]string{"t-wo": agent(2)}},
			[]string{"three"}},
		"part or name": {SearchQuery{Words: "hre wo", Begun: true, Named: map[string][]string{"wo": agent(2)}},
			[]string{"three"}},
		"not on other terms": {SearchQuery{Words: "two one", Named: map[string][]string{"one": agent(2)}}, nil},
		"waiting": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryQueued}}},
			[]string{"three", "two", "one"}},
		"failed": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryFailed}}},
			nil},
		"read": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryRead}}},
			nil},
	} {
		t.Run(name, func(t *testing.T) { wantFound(t, s, c.q, c.want...) })
	}

	page := wantFound(t, s, SearchQuery{Limit: 1}, "three")
	if !page.HasMore || page.Items[0].States[parley.DeliveryQueued] != 1 {
		t.Errorf("got %+v, want more, and one delivery queued", page)
	}
	wantFound(t, s, SearchQuery{Before: page.Items[0].Message.ID}, "two", "one")
}

// The databases lower ASCII letters alone.
func TestPartsOfWordsAreFoundInAnyCase(t *testing.T) {
	s := openWith(t, 2)
	texts := []string{"Überlauf im Puffer", "ÄRGER im BÜRO", "Ответить сейчас"}
	for _, text := range texts {
		say(t, s, text, 0, 1)
	}

	for query, want := range map[string]string{
		"übe": texts[0], "Übe": texts[0], "erla": texts[0], "ärg": texts[1], "Ärg": texts[1], "ÄRG": texts[1],
		"bür": texts[1], "ответ": texts[2], "Ответ": texts[2], "ОТВЕТ": texts[2], "тить": texts[2],
	} {
		wantFound(t, s, SearchQuery{Words: query, Begun: true}, want)
	}
}

// Searches without words go to the few messages that they are about. The plans are SQLite's.
func TestSearchesForFewUseTheirIndexes(t *testing.T) {
	needsFile(t)
	s := openWith(t, 2)
	say(t, s, "hello", 0, 1)
	for name, c := range map[string]struct {
		match SearchMatch
		want  string
	}{
		"states": {SearchMatch{States: []parley.DeliveryState{parley.DeliveryHeld, parley.DeliveryFailed}},
			"INDEX deliveries_ended (state=?)"},
		"types": {SearchMatch{Types: []parley.MessageType{parley.TypeRequest}}, "INDEX messages_types (type=?"},
		"priorities": {SearchMatch{Priorities: []parley.Priority{parley.PriorityUrgent}},
			"INDEX messages_priorities (priority=?"},
	} {
		plans := plansOf(t, s, func(ctx context.Context) error {
			_, err := s.Messages.Search(ctx, SearchQuery{All: true, Since: time.Unix(1, 0), Match: c.match, Limit: 10})
			return err
		})
		if !strings.Contains(plans, c.want) || strings.Contains(plans, "SCAN m") {
			t.Errorf("%s: got\n%swant %q and no scan of the messages", name, plans, c.want)
		}
	}
}

// The index of words is made again from the messages, more than one chunk of them.
func TestIndexOfWordsIsMadeAgain(t *testing.T) {
	s, path := openNew(t, 2)
	say(t, s, "please rebase", 0, 1)
	db := raw(t, path)
	run(t, db, `WITH RECURSIVE c (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 2500)
		INSERT INTO messages (seq, id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to,
			idempotency_key, accepted_at)
		SELECT n, 'old-' || n, 'direct', 'information', 'normal', '`+agentID(0)+`', 'old number' || n, '', '', '', '', 1
		FROM c`)

	tx := must.Have(db.BeginTx(t.Context(), nil))(t)
	must.Have(tx.ExecContext(t.Context(), wordsOf(s.db.base.SQL).clear))(t)
	must.Do(t, fillWords(t.Context(), tx, s.db.base.SQL))
	must.Do(t, tx.Commit())

	wantFound(t, s, SearchQuery{Words: "rebase", For: agentID(1), From: []string{agentID(0)}}, "please rebase")
	for _, text := range []string{"old number2", "old number1001", "old number2500"} {
		wantFound(t, s, SearchQuery{Words: text}, text)
	}
}
