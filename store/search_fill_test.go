package store

import (
	"testing"

	"parley/internal/must"
)

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
