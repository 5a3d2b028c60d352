package store

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestLockedDatabaseRecovers(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	other := raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	_, err := s.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)
	if err != nil && !strings.Contains(err.Error(), "locked by another process") {
		t.Errorf("got %v, want it to say that it is locked", err)
	}
	if _, err := s.Agents.List(t.Context()); err != nil {
		t.Errorf("reading meanwhile: %v", err)
	}

	run(t, other, "ROLLBACK")
	if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil {
		t.Errorf("Append afterwards: %v", err)
	}

	wantStored(t, s, 1)
}

// wantStored checks that agent 1 has want messages, each complete.
func wantStored(t *testing.T, s *Store, want int) {
	t.Helper()
	wantMessages(t, s, want)
	if got := len(agentLog(t, s, 1)) - 1; got != want { // one row is about the agent itself
		t.Errorf("agent log: got %d rows, want %d", got, want)
	}

	var events int
	if err := s.db.read(t.Context(), "counting", &events,
		`SELECT count(*) FROM events WHERE message_seq > 0`); err != nil ||
		events != want {
		t.Errorf("events: got %d, %v, want %d", events, err, want)
	}
}

// fill appends until it fails, and returns how many messages were stored.
func fill(t *testing.T, s *Store) (stored int, err error) {
	t.Helper()
	p := post(0, 1)
	p.Message.Text = strings.Repeat("a long story ", 300)
	for stored < 100_000 {
		p.Message.ID = fmt.Sprintf("%08x-full", stored)
		if _, err = s.Messages.Append(t.Context(), p); err != nil {
			return stored, err
		}
		stored++
	}
	t.Fatal("the disk never got full")
	return stored, nil
}

func TestFullDatabaseRecovers(t *testing.T) {
	needsFile(t)
	s := openWith(t, 2)
	limit := func(pages int) {
		t.Helper()
		must.Do(t, s.db.write(t.Context(), "limiting", func(tx *tx) error {
			return tx.Query(new(int), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		}))
	}

	limit(100)
	stored, err := fill(t, s)
	wantFull(t, err)
	wantStored(t, s, stored)
	limit(1 << 30)
	if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil {
		t.Errorf("Append when there is room: %v", err)
	}

	wantStored(t, s, stored+1)
}

func wantFull(t *testing.T, err error) {
	t.Helper()
	wantCode(t, "Append", err, parley.StorageUnavailable)
	if err != nil && !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("got %v, want it to say that the disk is full", err)
	}
}
