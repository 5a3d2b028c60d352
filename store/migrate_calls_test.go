package store

import (
	"testing"

	"parley/internal/must"
)

// An older database has no marks of threads. Its posts get them when it is opened.
func TestMigrationMarksThreadsOfOldPosts(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 3)
	thread := openThread(t, s, 1)
	say(t, s, "the grammar, to one", 0, 1)
	p := threadPost(thread, 0)
	p.Message.Text = "the grammar, to all"
	must.Have(s.Append(t.Context(), p))(t)
	must.Do(t, s.Close())

	downTo(t, path, 14)
	db := raw(t, path)
	run(t, db, `DROP TABLE message_words`)
	run(t, db, wordsTable)
	rows := []wordsRow{{seq: 1, text: "the grammar, to one", senderID: agentID(0), recipients: []string{agentID(1)}},
		{seq: 2, text: "the grammar, to all", senderID: agentID(0), recipients: []string{agentID(1)}}}
	for i := range rows {
		must.Have(db.ExecContext(t.Context(), wordsColumns.insertInto("message_words", 1), wordsColumns.values(&rows[i])...))(t)
	}

	must.Do(t, db.Close())

	s = openAt(t, path)
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(2)})
	_, _, err := s.ChangeMembership(t.Context(), change(thread, 2, false))
	must.Do(t, err)
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(2)}, "the grammar, to all")
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(1)}, "the grammar, to all", "the grammar, to one")
}
