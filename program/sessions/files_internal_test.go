package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/transcript"
)

// What is new, gone or recent is seen at once, and what goes on in an old transcript after a while.
func TestFilesAreSeenAsTheyAre(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	write := func(name, text string, age time.Duration) {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		must.Do(t, os.Chtimes(path, now, now.Add(-age)))
	}
	for i := range newest + 10 {
		write(fmt.Sprintf("%03d.jsonl", i), "x", time.Duration(i)*time.Hour)
	}
	s := source{kept: &transcript.Kept{Files: "*.jsonl"}, base: dir, lately: &lately{}}
	must.Do(t, s.kept.Compile())
	sizes := func(at time.Time) map[string]int64 {
		all := map[string]int64{}
		for _, e := range s.files(at) {
			all[filepath.Base(e.path)] = e.size
		}
		return all
	}
	sizes(now)

	write("000.jsonl", "xx", 0)
	write("205.jsonl", "xx", 0)
	write("new.jsonl", "xx", 300*time.Hour)
	must.Do(t, os.Remove(filepath.Join(dir, "209.jsonl")))
	for _, c := range []struct {
		after time.Duration
		old   int64
	}{{0, 1}, {wholeLook, 1}, {wholeLook + 1, 2}} {
		got := sizes(now.Add(c.after))
		if got["000.jsonl"] != 2 || got["new.jsonl"] != 2 || got["209.jsonl"] != 0 || got["205.jsonl"] != c.old {
			t.Errorf("after %s: %v", c.after, got)
		}
	}
}
