package opencode_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/program/opencode"
	"parley/program/transcript"
)

// database makes a database like opencode's, with its writer.
func database(t *testing.T) (path string, writer *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "opencode.db")
	writer = must.Have(sql.Open("sqlite", path))(t)
	t.Cleanup(func() { must.Do(t, writer.Close()) })
	writer.SetMaxOpenConns(1)
	must.Have(writer.Exec("PRAGMA journal_mode = WAL"))(t)
	must.Have(writer.Exec(string(must.Have(os.ReadFile("testdata/opencode.sql"))(t))))(t)
	return path, writer
}

func TestPromptsOfSessions(t *testing.T) {
	path, _ := database(t)
	got := must.Have(opencode.Prompts(t.Context(), path, time.UnixMilli(5000)))(t)
	want := []transcript.Prompt{
		{
			Session: "ses_b",
			Text:    "second",
			At:      time.UnixMilli(20000),
		}, {Session: "ses_a", Text: "first", At: time.UnixMilli(10000)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a session's subagents used is its own, and what it has copied from another is not.
func TestResponsesOfASession(t *testing.T) {
	path, _ := database(t)
	first := transcript.Record{ID: "msg_2", At: time.UnixMilli(10290), Model: "mock",
		Tokens: parley.Tokens{Input: 7000, Cached: 3033, CacheWrite: 5, Output: 533, Reasoning: 73}}
	sub := transcript.Record{
		ID:     "msg_4",
		At:     time.UnixMilli(10600),
		Model:  "small",
		Tokens: parley.Tokens{Input: 1, Output: 2},
	}
	fork := transcript.Record{
		ID:     "msg_8",
		At:     time.UnixMilli(21000),
		Model:  "mock",
		Tokens: parley.Tokens{Input: 3, Output: 4},
	}

	for _, test := range []struct {
		session  string
		after    int64
		want     []transcript.Record
		position int64
	}{
		{"ses_a", 0, []transcript.Record{first, sub}, 10600},
		{"ses_a", 10600, []transcript.Record{sub}, 10600},
		{"ses_a", 10601, nil, 10601},
		{"ses_b", 0, []transcript.Record{fork}, 21000},
		{"ses_none", 7, nil, 7},
	} {
		got, position, err := opencode.Responses(t.Context(), path, test.session, test.after)
		if diff := cmp.Diff(test.want, got); diff != "" || position != test.position || err != nil {
			t.Errorf("%s after %d: position %d, %v (-want +got):\n%s", test.session, test.after, position, err, diff)
		}
	}
}

func TestFilesThatASessionWrote(t *testing.T) {
	path, _ := database(t)
	want := []transcript.Edit{
		{Path: "/src/hawk.txt", At: time.UnixMilli(10250)},
		{Path: "/src/kite.txt", At: time.UnixMilli(10550)},
	}
	got := must.Have(opencode.Edits(t.Context(), path, "ses_a", 0))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := must.Have(opencode.Edits(t.Context(), path, "ses_a", 10551))(t); got != nil {
		t.Errorf("later: %v", got)
	}
}

func TestWhatIsNotKnownIsNotGuessed(t *testing.T) {
	path, writer := database(t)
	must.Have(writer.Exec(`UPDATE message SET data = json_remove(data, '$.modelID') WHERE id = 'msg_2'`))(t)
	if _, _, err := opencode.Responses(t.Context(), path, "ses_a", 0); !errors.Is(err, transcript.ErrUnknown) {
		t.Errorf("without a model: %v", err)
	}
	must.Have(writer.Exec(`ALTER TABLE message RENAME TO messages`))(t)
	if _, _, err := opencode.Responses(t.Context(), path, "ses_a", 0); err == nil {
		t.Error("without the table it is read")
	}
	if _, err := opencode.Prompts(t.Context(), path+"x", time.Time{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := opencode.Prompts(t.Context(), filepath.Dir(path), time.Time{}); err == nil {
		t.Error("a directory is read")
	}
}

// opencode writes while parley reads, and the other way round.
func TestReadingHoldsUpNoWriter(t *testing.T) {
	path, writer := database(t)
	tx := must.Have(writer.Begin())(t)
	must.Have(tx.Exec(`UPDATE session SET time_updated = 30000`))(t)
	if got := must.Have(opencode.Prompts(t.Context(), path, time.UnixMilli(5000)))(t); len(got) != 2 {
		t.Errorf("while it writes: %v", got)
	}
	must.Do(t, tx.Commit())
	must.Have(writer.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`))(t)
	if got := must.Have(opencode.Prompts(t.Context(), path, time.UnixMilli(25000)))(t); len(got) != 0 {
		t.Errorf("afterwards: %v", got)
	}
}
