package store

import (
	"path/filepath"
	"testing"

	"parley"
)

// Posts from before the marks of threads are marked when an older database is opened.
func TestPostsOfAnOlderDatabaseAreFoundByThoseWhoJoinLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 3)
	thread := openThread(t, s, 1)
	say(t, s, "the grammar, to one", 0, 1)
	p := threadPost(thread, 0)
	p.Message.Text = "the grammar, to all"
	_, err := s.Append(t.Context(), p)
	must(t, err)
	must(t, s.Close())

	db := raw(t, path)
	run(t, db, `DROP INDEX messages_spread; DROP INDEX files_content; ALTER TABLE files DROP COLUMN removed_at;
		DROP INDEX participants_agent; DROP TABLE calls; ALTER TABLE deliveries DROP COLUMN archived; ALTER TABLE deliveries DROP COLUMN decision; DELETE FROM goose_db_version WHERE version_id >= 15; DROP TABLE message_words`)
	run(t, db, wordsTable)
	rows := []wordsRow{{seq: 1, text: "the grammar, to one", senderID: agentID(0), recipients: []string{agentID(1)}},
		{seq: 2, text: "the grammar, to all", senderID: agentID(0), recipients: []string{agentID(1)}}}
	must(t, inChunks(wordsColumns, rows, (*wordsRow).values, func(values string, args []any) error {
		_, err := db.ExecContext(t.Context(), `INSERT INTO message_words (`+wordsColumns+`) VALUES `+values, args...)
		return err
	}))

	must(t, db.Close())

	s = openAt(t, path)
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(2)})
	_, _, err = s.ChangeMembership(t.Context(), change(thread, 2, false))
	must(t, err)
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(2)}, "the grammar, to all")
	wantFound(t, s, SearchQuery{Words: "grammar", For: agentID(1)}, "the grammar, to all", "the grammar, to one")
}

func TestCallsAreToldApartByWhatTheyAsk(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	f := testFile("aaaaaaaa-1111-4000-8000-000000000000", 0)
	call := Call{AgentID: agentID(0), Key: "k", Asked: "one", Made: f.ID}
	if _, found, err := s.Called(t.Context(), call); found || err != nil {
		t.Errorf("before it was made: %v, %v", found, err)
	}

	_, err := s.CreateFile(t.Context(), f, call)
	must(t, err)
	next := testFile("bbbbbbbb-1111-4000-8000-000000000000", 0)
	call.Made = next.ID

	was, err := s.CreateFile(t.Context(), next, call)
	if err != nil || was.Made != f.ID {
		t.Errorf("again: it made %q, %v, want %q", was.Made, err, f.ID)
	}

	_, err = s.File(t.Context(), next.ID, "")
	wantCode(t, "the file of the second call", err, parley.FileNotFound)
	call.Asked = "two"
	_, _, err = s.Called(t.Context(), call)
	wantCode(t, "another call", err, parley.InvalidArgument)
	_, err = s.CreateFile(t.Context(), next, call)
	wantCode(t, "another file", err, parley.InvalidArgument)
	call.AgentID = agentID(1)
	if _, found, err := s.Called(t.Context(), call); found || err != nil {
		t.Errorf("another's: %v, %v", found, err)
	}
}
