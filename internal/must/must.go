// Package must ends a test when what it needs fails.
package must

import (
	"os"
	"testing"
)

// Memory returns a directory for temporary files in memory, where there is one. Databases sync each change: on a disk
// a test waits for that most of its time, and no test takes the power away.
func Memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

// Do fails the test at once if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Have returns a value, or fails the test at once: file := must.Have(os.Open(name))(t).
func Have[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		Do(t, err)
		return v
	}
}
