package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley"
)

// openTest opens a new store that ends with the test.
func openTest(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "parley.db"))
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := open(t.Context(), Options{Path: path}, tuning{busyTimeout: 300 * time.Millisecond, searchTime: time.Hour})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// agentID is the id of the test's nth agent; they differ in their first eight
// characters.
func agentID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n+0xa0, n) }

func agentName(n int) string { return fmt.Sprintf("agent-%03d", n) }

func testAgent(n int) parley.Agent {
	return parley.Agent{ID: agentID(n), Name: agentName(n), Kind: parley.KindTerminal, State: parley.StateIdle}
}

func addAgents(t testing.TB, s *Store, count int) {
	t.Helper()
	for n := range count {
		if err := s.CreateAgent(t.Context(), testAgent(n), nil); err != nil {
			t.Fatalf("CreateAgent(%d): %v", n, err)
		}
	}
}

// post is a message from one agent to others, which waits for their terminals.
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
