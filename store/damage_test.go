package store

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// killed copies the files of an open database, as a killed daemon leaves them.
func killed(t *testing.T, path string) string {
	t.Helper()
	left := filepath.Join(t.TempDir(), "parley.db")
	for _, ending := range []string{"", "-wal", ".progress"} {
		must.Do(t, os.WriteFile(left+ending, must.Have(os.ReadFile(path+ending))(t), 0o600))
	}
	return left
}

// scribble overwrites n bytes of a file from its middle, or with 0 all its pages from the second on.
func scribble(t *testing.T, path string, n int) {
	t.Helper()
	f := must.Have(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	info := must.Have(f.Stat())(t)
	from := info.Size() / 2
	if n == 0 {
		from, n = 4096, int(info.Size())-4096
	}
	must.Have(f.WriteAt(bytes.Repeat([]byte{0xa5}, n), from))(t)
}

// A log of which a part is damaged is refused as it is. A repair reads what is before the damage, and what is missing
// then is told until somebody has seen it.
func TestDamagedLogIsRepaired(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	for range 30 {
		appended(t, s)
	}
	last := s.Events.LastEvent()

	left := killed(t, path)
	scribble(t, left+"-wal", 8192)
	before := must.Have(os.ReadFile(left + "-wal"))(t)
	_, err := Open(t.Context(), Options{Path: left})
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if !strings.Contains(err.Error(), "messages that parley had acknowledged") {
		t.Errorf("got %v, want it to say how many are missing", err)
	}
	if after := must.Have(os.ReadFile(left + "-wal"))(t); !bytes.Equal(after, before) {
		t.Error("the log was changed")
	}

	done := must.Have(Repair(t.Context(), Options{Path: left}))(t)
	s = openAt(t, left)
	found := must.Have(s.Workspace.Shortfall(t.Context()))(t)
	page := must.Have(s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1}))(t)
	if page.Total < 10 || done.Lacks == nil || found == nil || found.Messages != done.Lacks.Messages ||
		int(found.Messages)+page.Total != 30 {
		t.Fatalf("%d of 30 messages are there; the repair lacks %+v, and the database %+v", page.Total, done.Lacks,
			found)
	}
	if after := must.Have(os.ReadFile(done.Aside + "-wal"))(t); !bytes.Equal(after, before) {
		t.Error("the log is not kept as it was")
	}

	// No number of an event is given twice, and what may have been typed since is not typed again.
	if got := s.Events.LastEvent(); got < last {
		t.Errorf("the last event is %d, want at least %d", got, last)
	}
	if jobs := pending(t, s, 1); len(jobs) != 0 {
		t.Errorf("%d deliveries are still open", len(jobs))
	}

	// It is told until somebody has seen it, and then no more.
	must.Do(t, s.Close())
	s = openAt(t, left)
	if again := must.Have(s.Workspace.Shortfall(t.Context()))(t); again == nil || again.Messages != found.Messages ||
		news(s) != "" {
		t.Errorf("after another start: got %+v", again)
	}
	if ok := must.Have(s.Workspace.DismissShortfall(t.Context()))(t); !ok ||
		must.Have(s.Workspace.Shortfall(t.Context()))(t) != nil {
		t.Error("it is not dismissed")
	}
}

func TestKilledDatabaseLacksNothing(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	appended(t, s)

	s = openAt(t, killed(t, path))
	if found := must.Have(s.Workspace.Shortfall(t.Context()))(t); found != nil || len(pending(t, s, 1)) != 1 {
		t.Errorf("got %+v, want nothing", found)
	}
}

func TestDamagedDatabaseNamesTheCopy(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	appended(t, s)
	good := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	appended(t, s)
	appended(t, s)
	bad := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	must.Do(t, s.Close())

	scribble(t, path, 0) // also the table by which goose knows the version
	scribble(t, bad.Path, 0)
	_, err := Open(t.Context(), Options{Path: path})
	wantCode(t, "Open", err, parley.StorageUnavailable)
	e := parley.AsError(err)
	if e.Details["copy"] != good.Path || !strings.Contains(e.Action, "2 messages") ||
		!strings.Contains(e.Action, "parley doctor --repair") {
		t.Fatalf("got %+v, want the copy, what it lacks, and how to take it", e)
	}

	done := must.Have(Repair(t.Context(), Options{Path: path}))(t)
	if done.Copy == nil || done.Copy.Path != good.Path || done.Lacks == nil || done.Lacks.Messages != 2 {
		t.Errorf("got %+v, want the good copy, which lacks 2 messages", done)
	}
	if _, err := os.Stat(done.Aside); err != nil {
		t.Errorf("the damaged file: %v", err)
	}

	s = openAt(t, path)
	wantMessages(t, s, 1)
	if found := must.Have(s.Workspace.Shortfall(t.Context()))(t); found == nil || found.Messages != 2 {
		t.Errorf("got %+v, want 2 messages", found)
	}
}

// What is damaged in an index alone is rebuilt from the tables.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	appended(t, s)
	must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	appended(t, s)
	must.Do(t, s.Close())
	damage(t, path)

	done := must.Have(Repair(t.Context(), Options{Path: path}))(t)
	if done.Aside == "" || done.Copy != nil || done.Lacks != nil {
		t.Errorf("got %+v, want a rebuilt database that lacks nothing", done)
	}

	s = openAt(t, path)
	wantStored(t, s, 2)
	must.Do(t, s.Workspace.Check(t.Context()))
}

func TestEmptiedDatabaseIsDamaged(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 1)
	must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	must.Do(t, s.Close())

	must.Do(t, os.Truncate(path, 0))
	_, err := Open(t.Context(), Options{Path: path})
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if done := must.Have(Repair(t.Context(), Options{Path: path}))(t); done.Copy == nil {
		t.Errorf("got %+v, want the copy", done)
	}
	if agents := must.Have(openAt(t, path).Agents.List(t.Context()))(t); len(agents) != 1 {
		t.Errorf("got %d agents, want 1", len(agents))
	}
}

func TestRepairLeavesASoundDatabase(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	if done, err := Repair(t.Context(), Options{Path: path}); err != nil || done != (Repaired{}) {
		t.Errorf("without a database: got %+v, %v", done, err)
	}
	must.Do(t, openAt(t, path).Close())
	if done, err := Repair(t.Context(), Options{Path: path}); err != nil || done != (Repaired{}) {
		t.Errorf("got %+v, %v, want that nothing was done", done, err)
	}
}

// A daemon that meets damage accepts nothing more.
func TestDamageIsNoticedWhileOpen(t *testing.T) {
	needsFile(t)
	for name, meet := range map[string]func(s *Store) error{
		"check": func(s *Store) error { return s.Workspace.Check(t.Context()) },
		"read": func(s *Store) error {
			return s.db.read(t.Context(), "reading", new(int),
				`SELECT count(*) FROM messages INDEXED BY messages_id WHERE id > ''`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "parley.db")
			s := must.Have(Open(t.Context(), Options{Path: path}))(t)
			defer s.Close()

			addAgents(t, s, 2)
			for range 50 {
				appended(t, s)
			}
			must.Have(s.db.base.WriterConn.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`))(t)
			scribble(t, path, 0)

			wantCode(t, name, meet(s), parley.StorageUnavailable)
			wantCode(t, "Ping", s.Workspace.Ping(t.Context()), parley.StorageUnavailable)
			_, err := s.Messages.Append(t.Context(), post(0, 1))
			wantCode(t, "Append", err, parley.StorageUnavailable)
			if got := news(s); !strings.Contains(got, "is damaged") {
				t.Errorf("the operator is told %q", got)
			}
		})
	}
}

// Whatever the pages hold, the error says that they are damaged.
func TestOpenKnowsDamageOfAnyKind(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	appended(t, s)
	must.Do(t, s.Close())
	whole := must.Have(os.ReadFile(path))(t)

	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 0))
		content := bytes.Clone(whole)
		for i := 4096; i < len(content); i++ {
			content[i] = byte(chance.Uint32())
		}
		must.Do(t, os.WriteFile(path, content, 0o600))

		s, err := Open(t.Context(), Options{Path: path})
		if err == nil {
			s.Close()
			t.Fatalf("seed %d: it was opened", seed)
		}
		if parley.AsError(err).Details[damageDetail] == nil {
			t.Errorf("seed %d: got %v", seed, err)
		}
	}
}
