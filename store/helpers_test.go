package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/must"
)

// openTest opens a new store, and closes it when the test ends.
func openTest(t testing.TB) *Store {
	t.Helper()
	return openWith(t, 0)
}

// openWith opens a new store that knows some agents.
func openWith(t testing.TB, agents int) *Store {
	t.Helper()
	s, _ := openNew(t, agents)
	return s
}

// openNew opens a new database with n agents.
func openNew(t testing.TB, n int) (s *Store, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parley.db")
	if !onPostgres {
		must.Do(t, os.WriteFile(path, must.Have(empty())(t), 0o600))
	}
	s = openAt(t, path)
	addAgents(t, s, n)
	return s, path
}

// empty returns the file of a new database. Its migrations run once: they take much longer than a test.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "parley.db")
	s, err := Open(context.Background(), Options{Path: path})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return nil, err
	}

	return os.ReadFile(path)
})

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s := must.Have(open(t.Context(), at(t, path), tuning{busyTimeout: 300 * time.Millisecond,
		searchTime: time.Hour}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// agentID returns the ID of the nth agent. The IDs differ in their first eight characters.
func agentID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n+0xa0, n) }

func agentName(n int) string { return fmt.Sprintf("agent-%03d", n) }

func testAgent(n int) parley.Agent {
	return parley.Agent{ID: agentID(n), Name: agentName(n), Kind: parley.KindTerminal, State: parley.StateIdle}
}

func addAgents(t testing.TB, s *Store, count int) {
	t.Helper()
	for n := range count {
		if err := s.Agents.CreateAgent(t.Context(), testAgent(n), nil); err != nil {
			t.Fatalf("CreateAgent(%d): %v", n, err)
		}
	}
}

// post returns a message from one agent to others, queued for their terminals.
func post(from int, to ...int) Post {
	p := Post{Message: parley.Message{ID: uuid.NewString(), Kind: parley.KindDirect, Type: parley.TypeInformation,
		Priority: parley.PriorityNormal, SenderID: agentID(from), Text: "please look at main.go, line 12"},
		Event: parley.EventDirectMessage}
	if len(to) > 1 {
		p.Message.Kind, p.Event = parley.KindBroadcast, parley.EventBroadcast
	}
	for _, n := range to {
		p.Deliveries = append(p.Deliveries, NewDelivery{RecipientID: agentID(n), State: parley.DeliveryQueued})
	}
	return p
}

// send appends a post, and fails the test when it cannot.
func send(t *testing.T, s *Store, p Post) Appended {
	t.Helper()
	done, err := s.Messages.Append(t.Context(), p)
	if err != nil {
		t.Fatalf("Append: %v", err)
	}
	return done
}

// delivery returns the delivery of a message to an agent.
func delivery(t *testing.T, s *Store, messageID string, n int) parley.Delivery {
	t.Helper()
	_, all, err := s.Messages.Message(t.Context(), messageID)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d parley.Delivery) bool { return d.RecipientID == agentID(n) })
	if i < 0 {
		t.Fatalf("message %s has no delivery to agent %d", messageID, n)
	}
	return all[i]
}

func states(d parley.Delivery) []string {
	var all []string
	for _, st := range d.Steps {
		all = append(all, string(st.State))
	}
	return all
}

func pending(t *testing.T, s *Store, n int) []Job {
	t.Helper()
	return must.Have(s.Deliveries.Pending(t.Context(), agentID(n), 100))(t)
}

func wantCode(t *testing.T, what string, err error, code parley.Code) {
	t.Helper()
	if got := parley.ErrorCode(err); got != code {
		t.Errorf("%s: got %q (%v), want %s", what, got, err, code)
		return
	}
	if parley.AsError(err).Action == "" {
		t.Errorf("%s: %v suggests nothing", what, err)
	}
}

// raw opens a database as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	name, source := "sqlite", path
	if onPostgres {
		name, source = "pgx", at(t, path).URL
	}
	db := must.Have(sql.Open(name, source))(t)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	if _, err := db.Exec(statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// agentLog returns the rows of the nth agent's log, oldest first.
func agentLog(t *testing.T, s *Store, n int) []logRow {
	t.Helper()
	var rows []logRow
	must.Do(t, s.db.read(t.Context(), "reading the agent log", &rows,
		`SELECT agent_id, log_type, message, details, at FROM agent_log WHERE agent_id = ? ORDER BY id`, agentID(n)))
	return rows
}

// wantMessages checks how many messages agent 1 has.
func wantMessages(t *testing.T, s *Store, want int) {
	t.Helper()
	page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Total != want {
		t.Errorf("got %d messages, %v, want %d", page.Total, err, want)
	}
}
