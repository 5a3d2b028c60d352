package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
	"parley/store/postgrestest"
)

// needsServer skips what is only about PostgreSQL.
func needsServer(t testing.TB) {
	t.Helper()
	if !onPostgres {
		t.Skip("it concerns PostgreSQL")
	}
}

func TestPostgreSQLHasTheSchemaOfSQLite(t *testing.T) {
	needsServer(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	made := must.Have(Open(t.Context(), Options{Path: path}))(t)
	must.Do(t, made.Close())

	const forHosts = `'workspace', 'hosts', 'relays', 'file_chunks'` // tables that a file does not need
	const ours = `NOT LIKE 'message_words%' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'sqlite_%'`
	want := listed(t, must.Have(sql.Open("sqlite", path))(t), `SELECT m.name || '.' || c.name
		FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name `+ours+`
		UNION ALL SELECT m.name FROM sqlite_master m WHERE m.type = 'index' AND m.name `+ours)
	got := listed(t, raw(t, newURL(t)), `SELECT table_name || '.' || column_name FROM information_schema.columns m
		WHERE table_schema = 'public' AND table_name NOT IN (`+forHosts+`, 'message_words', 'goose_db_version')
		UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT IN (`+forHosts+`)
			AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE 'message_words%'`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a step of the schema is missing in migrations/sqlite or migrations/postgres (-SQLite "+
			"+PostgreSQL):\n%s", diff)
	}
}

// newURL returns the path that stands for a new database.
func newURL(t *testing.T) (path string) {
	_, path = openNew(t, 0)
	return path
}

// listed returns the rows of a query, sorted, and closes the database.
func listed(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	defer db.Close()
	rows := must.Have(db.Query(query))(t)
	defer rows.Close()
	for rows.Next() {
		var text string
		must.Do(t, rows.Scan(&text))
		list = append(list, text)
	}
	must.Do(t, rows.Err())
	slices.Sort(list)
	return list
}

func TestServerOfANewerParleyIsRefused(t *testing.T) {
	needsServer(t)
	s, path := openNew(t, 0)
	must.Do(t, s.Close())
	run(t, raw(t, path), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)`)
	t.Cleanup(func() { run(t, raw(t, path), `DELETE FROM goose_db_version WHERE version_id = 99`) })

	_, err := Open(t.Context(), at(t, path))
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if e := parley.AsError(err); !strings.Contains(e.Message, "newer parley") || !strings.Contains(e.Action, "backup") {
		t.Errorf("got %s %s", e.Message, e.Action)
	}
}

// A second daemon is refused while the first has the workspace, and locks the first out when it has
// taken over.
// What a URL asks of a server is asked of the connection that writes; the readers' sessions are read-only.
func TestServerIsReachedAsItsURLAsks(t *testing.T) {
	needsServer(t)
	for _, asked := range []string{"read-write", "primary", "prefer-standby", "any"} {
		o := at(t, filepath.Join(t.TempDir(), "parley.db"))
		sign := "?"
		if strings.Contains(o.URL, "?") {
			sign = "&"
		}
		o.URL += sign + "target_session_attrs=" + asked
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", asked, err)
			continue
		}
		if _, err := s.Agents.List(t.Context()); err != nil {
			t.Errorf("%s: %v", asked, err)
		}
		must.Do(t, s.Close())
	}
}

func TestOneDaemonHasTheWorkspace(t *testing.T) {
	needsServer(t)
	first, path := openNew(t, 2)
	other := Options{Path: "/elsewhere/parley.db", URL: at(t, path).URL}

	_, err := Open(t.Context(), other)
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if e := parley.AsError(err); !strings.Contains(e.Message, path) || !strings.Contains(e.Action, "parley down") {
		t.Errorf("the other daemon and the next step are not said: %s %s", e.Message, e.Action)
	}

	run(t, raw(t, path), `UPDATE hosts SET lease_until = '-infinity'`) // as if the first had been away for long
	second := must.Have(Open(t.Context(), other))(t)
	defer second.Close()

	_, err = first.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append of the first", err, parley.StorageUnavailable)
	wantCode(t, "Refusal of the first", first.Workspace.Refusal(), parley.StorageUnavailable)
	must.Have(second.Messages.Append(t.Context(), post(0, 1)))(t)
	wantMessages(t, second, 1)
}

// Writers that do not know of each other give numbers in the order of commits, and whoever follows the
// events sees each of them once, in order, and no hole at any time.
func TestNumbersHaveNoHoleWithSeveralWriters(t *testing.T) {
	needsServer(t)
	first, path := openNew(t, 2)
	writers := []*Store{first}
	for n := range 2 {
		s := must.Have(Open(t.Context(), Options{Path: path, URL: at(t, path).URL}))(t)
		defer s.Close()
		writers = append(writers, s)
		for _, w := range writers { // as long as one daemon has a workspace, this is the only way to have several
			w.db.base.Session.(*engine.ServerSession).Epoch = int64(n) + 2
		}
	}
	epochs := listed(t, raw(t, path), `SELECT CAST(epoch AS text) FROM workspace`)
	for _, w := range writers {
		must.Have(fmt.Sscan(epochs[0], &w.db.base.Session.(*engine.ServerSession).Epoch))(t)
	}

	const each = 40
	last, followed := first.Events.LastEvent(), make(chan error, 1)
	go func() { followed <- follow(t.Context(), writers[2], last, 3*each) }()

	var all sync.WaitGroup
	for _, w := range writers {
		for range 2 {
			all.Go(func() {
				for range each / 2 {
					if _, err := w.Messages.Append(t.Context(), post(0, 1)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	must.Do(t, <-followed)

	var seqs []int64
	must.Do(t, first.db.read(t.Context(), "reading numbers", &seqs, `SELECT seq FROM messages ORDER BY seq`))
	for i, seq := range seqs {
		if seq != int64(i)+1 {
			t.Fatalf("message %d has the number %d", i+1, seq)
		}
	}
	if len(seqs) != 3*each {
		t.Errorf("%d messages are stored, want %d", len(seqs), 3*each)
	}
}

// follow reads events from a number on until it has seen so many, and returns an error at a hole.
func follow(ctx context.Context, s *Store, after int64, many int) error {
	for end := after + int64(many); after < end; {
		events, err := s.Events.List(ctx, EventQuery{After: after, Limit: 1000})
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.Seq != after+1 {
				return fmt.Errorf("event %d follows %d", e.Seq, after)
			}
			after = e.Seq
		}
	}
	return nil
}

// Connections that end at any moment lose nothing that was acknowledged, and store nothing twice.
func TestEndedConnectionsLoseNothing(t *testing.T) {
	needsServer(t)
	s, path := openNew(t, 2)
	admin := raw(t, path)

	var ended sync.WaitGroup
	ended.Go(func() {
		for range 20 {
			_, err := admin.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE application_name = 'parley' AND datname = current_database()`)
			if err == nil {
				_, err = admin.Exec(`SELECT pg_sleep(0.05)`)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})

	var mu sync.Mutex
	var acknowledged []string
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				if done, err := s.Messages.Append(t.Context(), post(0, 1)); err == nil {
					mu.Lock()
					acknowledged = append(acknowledged, done.Message.ID)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	ended.Wait()
	if len(acknowledged) == 0 {
		t.Error("no message was acknowledged")
	}
	t.Logf("%d messages were acknowledged, while connections were ended 20 times", len(acknowledged))

	wantAcknowledged(t, s, acknowledged)
}

// wantAcknowledged checks that all messages are stored, with one delivery each, and that nothing is
// missing between the numbers.
func wantAcknowledged(t *testing.T, s *Store, ids []string) {
	t.Helper()
	for _, id := range ids {
		if _, deliveries, err := s.Messages.Message(t.Context(), id); err != nil || len(deliveries) != 1 {
			t.Errorf("message %s: got %d deliveries, %v", id, len(deliveries), err)
		}
	}

	var n struct{ Messages, Last, Events, LastEvent, Kept, KeptEvent int64 }
	must.Do(t, s.db.read(t.Context(), "counting", &n, `SELECT (SELECT count(*) FROM messages) AS messages,
		(SELECT max(seq) FROM messages) AS last, (SELECT count(*) FROM events) AS events,
		(SELECT max(seq) FROM events) AS last_event, message_seq AS kept, event_seq AS kept_event FROM workspace`))
	if n.Messages != n.Last || n.Last != n.Kept || n.Events != n.LastEvent || n.LastEvent != n.KeptEvent {
		t.Errorf("there are holes in the numbers: %+v", n)
	}
	if n.Messages < int64(len(ids)) {
		t.Errorf("%d messages are stored, %d were acknowledged", n.Messages, len(ids))
	}
}

// A server that crashes is told with the next step. When it is back, the store goes on.
func TestCrashedServerRecovers(t *testing.T) {
	needsServer(t)
	server := must.Have(postgrestest.Start())(t)
	t.Cleanup(func() { must.Do(t, server.Close()) })
	s := must.Have(Open(t.Context(), Options{URL: server.URL("postgres")}))(t)
	t.Cleanup(func() { must.Do(t, s.Close()) })
	addAgents(t, s, 2)

	stored := []string{send(t, s, post(0, 1)).Message.ID}
	must.Do(t, server.Crash())
	_, err := s.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)
	wantCode(t, "Ping", s.Workspace.Ping(t.Context()), parley.StorageUnavailable)
	if action := parley.AsError(err).Action; !strings.Contains(action, "pg_isready") {
		t.Errorf("the next step is not said: %s", action)
	}

	must.Do(t, server.Up())
	stored = append(stored, send(t, s, post(0, 1)).Message.ID)
	must.Do(t, s.Workspace.Ping(t.Context()))
	wantAcknowledged(t, s, stored)
}

func TestURLErrorsKeepThePassword(t *testing.T) {
	for _, url := range []string{
		"postgres://me:geheim@localhost:port/db", "postgres://me:geheim%zz@localhost/db",
		"mysql://me:geheim@localhost/db",
		"postgres://me:geheim@localhost:1/db?connect_timeout=1",
	} {
		_, err := Open(t.Context(), Options{URL: url})
		if parley.AsError(err).Action == "" {
			t.Errorf("%s: no next step in %v", url, err)
		}
		if text := fmt.Sprintf("%v %+v", err, parley.AsError(err)); strings.Contains(text, "geheim") {
			t.Errorf("the password is shown: %s", text)
		}
		if strings.Contains(PlaceOf(url), "geheim") {
			t.Errorf("the place shows the password: %s", PlaceOf(url))
		}
	}
}
