package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// A database goes from a file to a server and back, with all that it holds, although the first move is
// interrupted. Numbers and the index of words go on, and no daemon takes an old one.
func TestMovedDatabaseHoldsEverything(t *testing.T) {
	needsServer(t)
	file := Options{Path: filepath.Join(t.TempDir(), "parley.db")}
	s := must.Have(Open(t.Context(), file))(t)
	addAgents(t, s, 3)
	must.Do(t, s.Workspace.SetPause(t.Context(), agentID(0), &parley.Pause{Reason: "lunch"}, nil))
	thread := openThread(t, s, 1)
	p := threadPost(thread, 0)
	p.Message.Text = "the grammar \x00 \xff of 数据库"
	must.Have(s.Messages.Append(t.Context(), p))(t)
	question := require(t, s, 1)
	must.Have(s.Messages.Append(t.Context(), reply(1, question, parley.ResponseCompleted)))(t)
	want, last := everything(t, s), s.Events.LastEvent()
	must.Do(t, s.Close())

	server := at(t, filepath.Join(t.TempDir(), "parley.db"))
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := Move(ctx, file, server, func(table string, _ int64) {
		if table == "messages" {
			interrupt()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the interrupted move: %v", err)
	}
	must.Do(t, must.Have(Open(t.Context(), server))(t).Close())

	var told []string
	must.Have(Move(t.Context(), file, server, func(table string, _ int64) { told = append(told, table) }))(t)
	if len(told) != len(engine.CopiedOf(tables)) {
		t.Errorf("told of %v", told)
	}
	wantMoveRefused(t, file, "was moved to postgres://")
	_, err = Move(t.Context(), Options{Path: filepath.Join(t.TempDir(), "other.db")}, server, func(string, int64) {})
	wantCode(t, "moving to one that is not empty", err, parley.InvalidArgument)

	back := Options{Path: filepath.Join(t.TempDir(), "back.db")}
	must.Have(Move(t.Context(), server, back, func(string, int64) {}))(t)
	wantMoveRefused(t, server, "was moved to "+back.Path)

	s = must.Have(Open(t.Context(), back))(t)
	t.Cleanup(func() { must.Do(t, s.Close()) })
	if diff := cmp.Diff(want, everything(t, s)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	wantFound(t, s, SearchQuery{Words: "数据", For: agentID(1)},
		strings.ToValidUTF8(strings.ReplaceAll(p.Message.Text, "\x00", "\uFFFD"), "\uFFFD"))
	must.Do(t, s.Agents.CreateAgent(t.Context(), testAgent(9), nil))
	if got := s.Events.LastEvent(); got != last+1 {
		t.Errorf("the next event has the number %d, want %d", got, last+1)
	}
}

// everything returns what the store tells of agents, messages and events.
func everything(t *testing.T, s *Store) []any {
	t.Helper()
	exported := must.Have(s.Messages.Export(t.Context(), ExportQuery{Limit: 100}))(t)
	for i := range exported.Messages {
		exported.Messages[i].Text = engine.ValidText(exported.Messages[i].Text)
	}
	return []any{
		must.Have(s.Agents.List(t.Context()))(t), exported.Messages,
		must.Have(s.Workspace.Pause(t.Context()))(t), must.Have(s.Threads.ThreadTitles(t.Context()))(t),
		agentLog(t, s, 1),
		must.Have(s.Inbox.Counts(t.Context()))(t),
	}
}

// wantMoveRefused checks that no daemon takes a database.
func wantMoveRefused(t *testing.T, o Options, words string) {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err == nil {
		s.Close()
		t.Fatalf("%s was opened", o.Path)
	}
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if e := parley.AsError(err); !strings.Contains(e.Message+e.Action, words) {
		t.Errorf("%q is not said in: %s %s", words, e.Message, e.Action)
	}
}

// A table that is added must be moved too.
func TestEveryTableIsMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := must.Have(Open(t.Context(), Options{Path: path}))(t)
	defer s.Close()

	moved := map[string]bool{}
	for _, table := range engine.CopiedOf(tables) {
		moved[table.Name] = true
	}
	var names []string
	must.Do(t, s.db.read(t.Context(), "reading the tables", &names, `SELECT name FROM sqlite_master WHERE type = 'table'
		AND name NOT LIKE 'message_words%' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite_%'`))
	for _, name := range names {
		if !moved[name] {
			t.Errorf("the table %s is not in engine.CopiedOf(tables)", name)
		}
	}
}
