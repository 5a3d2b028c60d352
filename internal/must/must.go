// Package must ends a test when what it needs fails, or does not come.
package must

import (
	"os"
	"testing"
	"time"
)

// Patience bounds each wait of a test for what must come. Only a failing test waits that long: a machine on which forty
// programs want the processor takes minutes for what takes a second elsewhere.
const Patience = 5 * time.Minute

// Become waits until a fact is true.
func Become(t testing.TB, what string, fact func() bool) {
	t.Helper()
	for late := time.Now().Add(Patience); !fact(); time.Sleep(10 * time.Millisecond) { // between two looks
		if time.Now().After(late) {
			t.Fatalf("%s: never so", what)
		}
	}
}

// Come waits for what a channel brings, or for its end.
func Come[V any](t testing.TB, what string, from <-chan V) (v V) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(Patience):
		t.Fatalf("%s: never so", what)
	}
	return v
}

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
