// Package storetest opens stores for tests.
package storetest

import (
	"path/filepath"
	"testing"

	"parley/store"
)

// Open opens a new store in a directory of the test's own, and closes it when
// the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "parley.db")})
	if err != nil {
		t.Fatalf("opening a store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return s
}
