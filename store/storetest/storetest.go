// Package storetest opens stores for tests.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/must"
	"parley/store"
	"parley/store/postgrestest"
)

// Open opens a new store in a temporary directory, and closes it when the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	dir, err := os.MkdirTemp(must.Memory(), "storetest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "parley.db")
	if err := Prepare(path); err != nil {
		t.Fatal(err)
	}

	s, err := store.Open(t.Context(), store.Options{Path: path})
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

// servers makes the databases of URL.
var servers = postgrestest.Databases{Prepare: func(url string) error {
	s, err := store.Open(context.Background(), store.Options{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}}

// URL returns the URL of an empty PostgreSQL database for a test. It skips the test where PostgreSQL is
// missing.
func URL(t testing.TB) string {
	t.Helper()
	return servers.New(t)
}

// Prepare writes a new database to a path, unless there is one. To open it takes a
// twentieth of the time that store.Open needs to make one, because its migrations have
// run: they run once in each test binary.
func Prepare(path string) error {
	content, err := empty()
	if err != nil {
		return fmt.Errorf("prepare a database: %w", err)
	}

	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)

	return errors.Join(err, file.Close())
}

// empty returns the file of a new database.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "parley.db")
	s, err := store.Open(context.Background(), store.Options{Path: path})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}

	return os.ReadFile(path)
})
