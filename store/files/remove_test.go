package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// marks lists the marks of running calls in a store.
func marks(t *testing.T, dir string) []string {
	t.Helper()
	return must.Have(filepath.Glob(filepath.Join(escape(dir), "*", markPrefix+"*")))(t)
}

func always(answer bool) func() (bool, error) { return func() (bool, error) { return answer, nil } }

func TestRemoveDeletesUnusedContent(t *testing.T) {
	s, dir := open(t, 0)
	c := put(t, s, "twice")
	c.Keep()
	for _, id := range []string{"one", FurtherCopy("one", "a b"), FurtherCopy("one", "c"), "two"} {
		must.Have(s.Receive(c.SHA256, id, "x.txt"))(t)
	}

	beside := filepath.Join(dir, "received", "two", "notes")
	must.Do(t, os.WriteFile(beside, []byte("the recipient's"), 0o600))
	must.Do(t, s.Remove(c.SHA256, "one", "x.txt", always(true)))

	wantFiles(t, dir, map[string]string{
		nameOf("twice"):      "twice",
		"received/two/x.txt": "twice",
		"received/two/notes": "the recipient's",
	})

	for range 2 { // as after a crash in between
		must.Do(t, s.Remove(c.SHA256, "two", "x.txt", always(false)))
	}

	wantFiles(t, dir, map[string]string{"received/two/notes": "the recipient's"})
	if left := must.Have(os.ReadDir(filepath.Join(dir, "received")))(t); len(left) != 1 {
		t.Errorf("empty directories were left: %v", left)
	}
}

func TestRemoveKeepsContentThatIsStoredAgain(t *testing.T) {
	for _, keep := range []bool{true, false} {
		s, dir := open(t, 0)
		put(t, s, "again").Keep()
		second := put(t, s, "again")
		must.Do(t, s.Remove(second.SHA256, "id", "x", always(false)))

		wantFiles(t, dir, map[string]string{nameOf("again"): "again"})
		want := map[string]string{}
		if keep {
			second.Keep()
			want[nameOf("again")] = "again"
		} else if err := second.Drop(); err != nil {
			t.Fatal(err)
		}

		wantFiles(t, dir, want)
		if left := marks(t, dir); len(left) > 0 {
			t.Errorf("%v was left", left)
		}
	}
}

func TestRecoverRemovesUnknownMarkedFiles(t *testing.T) {
	s, dir := open(t, 0)
	put(t, s, "kept").Keep() // may belong to a newer database
	noted, lost := put(t, s, "noted"), put(t, s, "lost")
	for _, id := range []string{"known", "unknown", "began"} {
		must.Have(s.Begin(id))(t)
	}

	for id, c := range map[string]*Content{"known": noted, "unknown": lost, "older": noted} {
		must.Have(s.Receive(c.SHA256, id, "x"))(t)
	}

	must.Do(t, os.Mkdir(filepath.Join(dir, "received", "began"), 0o700))

	// A crash: neither Keep nor Drop is called.
	s = must.Have(Open(dir, filepath.Join(dir, "received"), 0))(t)

	must.Do(t, s.Recover(func(sha string) (bool, error) { return sha == noted.SHA256, nil },
		func(id string) (bool, error) { return id == "known", nil }))

	wantFiles(t, dir, map[string]string{
		nameOf("kept"):     "kept",
		nameOf("noted"):    "noted",
		"received/known/x": "noted",
		"received/older/x": "noted",
	})

	if left := marks(t, dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "received")); err != nil || len(entries) != 2 {
		t.Errorf("received holds %v, %v; want known and older", entries, err)
	}

	contents, copies, err := s.Used()
	if err != nil || contents != 9 || copies != 10 {
		t.Errorf("used: %d and %d bytes, %v; want 9 and 10", contents, copies, err)
	}
}

func TestLowSpaceIsReportedBeforeTheDiskIsFull(t *testing.T) {
	s, dir := open(t, 0)
	free := int64(reserve + 100)
	s.space = func(string) (int64, int64, error) { return free, 1 << 40, nil }
	if err := s.CheckSpace(50); err != nil {
		t.Errorf("there is room for a file and its copy: %v", err)
	}

	wantCode(t, "CheckSpace", s.CheckSpace(51), parley.StorageUnavailable)
	put(t, s, "small").Keep()
	free = reserve - 1
	_, err := s.Put(t.Context(), strings.NewReader("no more"))
	wantCode(t, "Put", err, parley.StorageUnavailable)
	if !strings.Contains(parley.AsError(err).Action, "parley files prune") {
		t.Errorf("%v does not say what to do", err)
	}

	free = 1 << 30
	asked := 0
	s.space = func(string) (int64, int64, error) { // the disk fills up meanwhile
		if asked++; asked > 1 {
			return 0, 1 << 40, nil
		}
		return free, 1 << 40, nil
	}

	_, err = s.Put(t.Context(), bytes.NewReader(make([]byte, 20<<20)))
	wantCode(t, "a large Put", err, parley.StorageUnavailable)
	wantFiles(t, dir, map[string]string{nameOf("small"): "small"})
	s.space = func(string) (int64, int64, error) { return 0, 0, errors.New("nobody knows") }
	put(t, s, "another").Keep()
}

// A recipient may put a link in place of the directory of its copy.
func TestNothingIsChangedThroughALink(t *testing.T) {
	s, dir := open(t, 0)
	c := put(t, s, "text")
	c.Keep()
	must.Have(s.Receive(c.SHA256, "id", "x.txt"))(t)

	elsewhere := t.TempDir()
	own := filepath.Join(elsewhere, "x.txt")
	must.Do(t, os.WriteFile(own, []byte("mine"), 0o600))
	copies := filepath.Join(dir, "received", "id")
	relink := func() {
		must.Do(t, os.RemoveAll(copies))
		must.Do(t, os.Symlink(elsewhere, copies))
	}

	relink()
	path := must.Have(s.Receive(c.SHA256, "id", "x.txt"))(t)
	if got := string(must.Have(os.ReadFile(path))(t)); got != "text" {
		t.Errorf("the recipient is given %q", got)
	}

	for _, remove := range []func() error{
		func() error { return s.Withdraw("id", "x.txt") },
		func() error { return s.Remove(c.SHA256, "id", "x.txt", always(true)) },
	} {
		relink()
		must.Do(t, remove())
		if _, err := os.Lstat(copies); err == nil {
			t.Error("the link was left")
		}
	}

	if got := string(must.Have(os.ReadFile(own))(t)); got != "mine" {
		t.Errorf("the file elsewhere is %q now", got)
	}
}
