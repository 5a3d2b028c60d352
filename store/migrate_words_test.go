package store

import "testing"

func TestMigrationMakesOldMessagesFindable(t *testing.T) {
	path := fixture(t, "v1.sql")
	db := raw(t, path)
	var n int

	// More messages than one chunk.
	run(t, db, `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2500)
		INSERT INTO messages (id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to, idempotency_key, accepted_at)
		SELECT 'old-' || n, 'direct', 'information', 'normal', (SELECT min(id) FROM agents), 'old number' || n, '', '', '', '', 1 FROM c`)

	if err := db.QueryRow(`SELECT count(*) FROM messages`).Scan(&n); err != nil || n < 2500 {
		t.Fatal(n, err)
	}

	db.Close()
	s := openAt(t, path)
	wantFound(t, s, SearchQuery{Words: "rebase"}, "please rebase")
	for _, text := range []string{"old number1", "old number1001", "old number2500"} {
		wantFound(t, s, SearchQuery{Words: text}, text)
	}

	m, deliveries, err := s.Message(t.Context(), "5f0c21aa")
	if err != nil {
		t.Fatal(err)
	}

	wantFound(t, s, SearchQuery{Words: "rebase", For: deliveries[0].RecipientID, From: []string{m.SenderID}}, "please rebase")
}
