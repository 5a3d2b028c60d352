package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// openClocked opens a database with a clock that the test sets.
func openClocked(t *testing.T, now *time.Time, o Options) *Store {
	t.Helper()
	o.Now = func() time.Time { return *now }
	s := must.Have(Open(t.Context(), o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestCopyIsDueForWhatIsNotCopied(t *testing.T) {
	needsFile(t)
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, Options{Path: filepath.Join(t.TempDir(), "parley.db")})
	due := func(want bool, when string) {
		t.Helper()
		if got := must.Have(s.Workspace.CopyDue(t.Context(), 24*time.Hour))(t); got != want {
			t.Errorf("%s: due is %t, want %t", when, got, want)
		}
	}

	due(false, "empty")
	addAgents(t, s, 2)
	due(false, "at once")
	now = now.Add(2 * time.Hour)
	due(true, "two hours later, without any copy")

	must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	now = now.Add(100 * time.Hour)
	due(false, "nothing has changed since the copy")
	say(t, s, "hello", 0, 1)
	due(false, "something has just changed")
	now = now.Add(24 * time.Hour)
	due(true, "a day later")
}

func TestKeepCopyThinsOutTheOldOnes(t *testing.T) {
	needsFile(t)
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openClocked(t, &now, Options{Path: path, Copies: Copies{Keep: 2}})
	addAgents(t, s, 2)
	for range 4 {
		now = now.Add(24 * time.Hour)
		must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	}

	copies := copiesOf(t, path)
	if len(copies) != 2 || !strings.Contains(copies[0], "20261126") ||
		!strings.Contains(copies[1], "20261125") {
		t.Errorf("got %v, want those of the last two days", copies)
	}
	if info := must.Have(os.Stat(copies[0]))(t); info.Mode() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

// Copies that may hold what the database lacks stay until somebody has seen that.
func TestCopiesFromBeforeALossStay(t *testing.T) {
	needsFile(t)
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	o := Options{Path: filepath.Join(t.TempDir(), "parley.db"), Copies: Copies{Keep: 1},
		Now: func() time.Time { return now }}
	s := openClocked(t, &now, o)
	addAgents(t, s, 2)
	before := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	old := must.Have(os.ReadFile(before.Path))(t)
	appended(t, s)
	now = now.Add(time.Hour)
	last := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	must.Do(t, s.Close())

	now = now.Add(time.Hour)
	must.Do(t, os.WriteFile(o.Path, old, 0o600)) // the operator wants it so
	done := must.Have(GoOn(t.Context(), o))(t)
	if done.Copy != nil || done.Lacks == nil || done.Lacks.Messages != 1 {
		t.Errorf("got %+v, want one message missing", done)
	}

	s = openClocked(t, &now, o)
	for _, want := range []int{2, 1} {
		now = now.Add(time.Hour)
		must.Have(s.Workspace.KeepCopy(t.Context()))(t)
		copies := copiesOf(t, o.Path)
		if len(copies) != want || slices.Contains(copies, last.Path) != (want == 2) {
			t.Errorf("got %v, want %d", copies, want)
		}
		must.Have(s.Workspace.DismissShortfall(t.Context()))(t)
	}
}

// The copies that were made while the clock was ahead are not the newest.
func TestCopyStaysWhenTheClockIsSetBack(t *testing.T) {
	needsFile(t)
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openClocked(t, &now, Options{Path: path, Copies: Copies{Keep: 2}})
	addAgents(t, s, 2)
	for range 2 {
		now = now.Add(30 * 24 * time.Hour)
		must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	}

	now = now.Add(-60 * 24 * time.Hour)
	said := say(t, s, "hello", 0, 1)
	now = now.Add(25 * time.Hour)
	for range 2 {
		made := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
		copies := copiesOf(t, path)
		if len(copies) < 2 || copies[0] != made.Path {
			t.Fatalf("got %v, want %s first", copies, made.Path)
		}
		if has := must.Have(schema.ProgressOfCopy(t.Context(), copies[0]))(t); has.Row != said.Seq {
			t.Errorf("the newest copy ends at message %d, want %d", has.Row, said.Seq)
		}
		if must.Have(s.Workspace.CopyDue(t.Context(), 24*time.Hour))(t) {
			t.Error("the next copy is due at once")
		}
	}
}

// A damaged database is not copied, so that its copy displaces no good one.
func TestDamagedDatabaseIsNotCopied(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	s := must.Have(Open(t.Context(), Options{Path: path, Copies: Copies{Keep: 1}}))(t)
	defer s.Close()

	addAgents(t, s, 2)
	good := must.Have(s.Workspace.KeepCopy(t.Context()))(t)
	damage(t, path)
	_, err := s.Workspace.KeepCopy(t.Context())
	wantCode(t, "KeepCopy", err, parley.StorageUnavailable)
	if got := copiesOf(t, path); !slices.Equal(got, []string{good.Path}) {
		t.Errorf("got %v, want the good one alone", got)
	}
}

func TestBackupIsWholeAndPrivate(t *testing.T) {
	s := openWith(t, 2)
	must.Have(s.Messages.Append(t.Context(), post(0, 1)))(t)

	path := filepath.Join(t.TempDir(), "copy.db")
	theirs := path + ".part" // of somebody else
	must.Do(t, os.WriteFile(theirs, []byte("kept"), 0o600))
	size := must.Have(s.Workspace.Backup(t.Context(), path))(t)

	if got := string(must.Have(os.ReadFile(theirs))(t)); got != "kept" {
		t.Errorf("another file holds %q now", got)
	}
	if all := must.Have(os.ReadDir(filepath.Dir(path)))(t); len(all) != 2 {
		t.Errorf("left behind: %v", all)
	}

	info, err := os.Stat(path)
	if err != nil || info.Size() != size || info.Mode() != 0o600 {
		t.Errorf("got %v, %v, want %d bytes, mode 0600", info, err, size)
	}

	copied := must.Have(Open(t.Context(), Options{Path: path}))(t) // a file, whatever it was copied from
	defer copied.Close()
	wantMessages(t, copied, 1)
}

func TestBackupRefusesWhatItCannotWrite(t *testing.T) {
	s := openTest(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	must.Do(t, os.WriteFile(there, []byte("mine"), 0o600))

	for _, path := range []string{"relative.db", there, filepath.Join(dir, "no", "dir", "copy.db")} {
		_, err := s.Workspace.Backup(t.Context(), path)
		wantCode(t, path, err, parley.InvalidArgument)
	}

	if got, err := os.ReadFile(there); err != nil || string(got) != "mine" {
		t.Errorf("the file that was there: %q, %v", got, err)
	}
}
