package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"parley"
	"parley/internal/must"
)

func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := everything(t, dir)
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s holds %q, want %q", name, got[name], content)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s was left", name)
	}
}

func nameOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	sha := hex.EncodeToString(sum[:])
	return filepath.Join("files", sha[:2], sha)
}

func put(t *testing.T, s *Store, content string) *Content {
	t.Helper()
	return must.Have(s.Put(t.Context(), strings.NewReader(content)))(t)
}

func wantCode(t *testing.T, what string, err error, want parley.Code) {
	t.Helper()
	if got := parley.ErrorCode(err); got != want {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, want)
	}
	if err != nil && parley.AsError(err).Action == "" {
		t.Errorf("%s: %v says nothing of what to do next", what, err)
	}
}

func TestContentIsStoredOnceUnderItsHash(t *testing.T) {
	s, dir := open(t, 0)
	for _, content := range []string{"hello", "hello", "", strings.Repeat("x", 3*chunk+1)} {
		c := put(t, s, content)
		if filepath.Join("files", c.SHA256[:2], c.SHA256) != nameOf(content) || c.Size != int64(len(content)) {
			t.Errorf("%d bytes became %+v", len(content), c)
		}

		c.Keep()
		f := must.Have(s.Content(c.SHA256))(t)

		b, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil || string(b) != content {
			t.Errorf("read %d bytes, %v; want %d", len(b), err, len(content))
		}
	}

	wantFiles(t, dir, map[string]string{nameOf("hello"): "hello", nameOf(""): "",
		nameOf(strings.Repeat("x", 3*chunk+1)): strings.Repeat("x", 3*chunk+1)})
}

func TestDropRemovesContentUnlessAnotherCallKeepsIt(t *testing.T) {
	s, dir := open(t, 0)
	drop := func(c *Content) {
		t.Helper()
		if err := c.Drop(); err != nil {
			t.Error(err)
		}
	}

	drop(put(t, s, "alone"))
	wantFiles(t, dir, nil)

	put(t, s, "kept").Keep()
	drop(put(t, s, "kept"))
	wantFiles(t, dir, map[string]string{nameOf("kept"): "kept"})

	one, two := put(t, s, "shared"), put(t, s, "shared")
	drop(one)
	wantFiles(t, dir, map[string]string{nameOf("kept"): "kept", nameOf("shared"): "shared"})
	two.Keep()
	one, two = put(t, s, "both"), put(t, s, "both")
	drop(two)
	drop(one)
	wantFiles(t, dir, map[string]string{nameOf("kept"): "kept", nameOf("shared"): "shared"})
}

func TestSameContentAtTheSameTime(t *testing.T) {
	s, dir := open(t, 0)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			c, err := s.Put(t.Context(), strings.NewReader("the same"))
			switch {
			case err != nil:
				t.Error(err)
			case i == 7:
				c.Keep()
			default:
				if err := c.Drop(); err != nil {
					t.Error(err)
				}
			}
		})
	}

	group.Wait()
	wantFiles(t, dir, map[string]string{nameOf("the same"): "the same"})
}

func TestPutRefusesTooLargeFiles(t *testing.T) {
	s, dir := open(t, 1000)
	put(t, s, strings.Repeat("x", 1000)).Keep()
	_, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("y", 1001)))
	wantCode(t, "1001 bytes", err, parley.FileRefused)
	_, err = s.Put(t.Context(), endless{})
	wantCode(t, "without an end", err, parley.FileRefused)
	wantFiles(t, dir, map[string]string{nameOf(strings.Repeat("x", 1000)): strings.Repeat("x", 1000)})
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestFailedPutLeavesNothing(t *testing.T) {
	s, dir := open(t, 0)
	broken := errors.New("broken")
	_, err := s.Put(t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}

	_, err = s.Put(t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a content that is cut off gave %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be cancelled", err)
	}

	wantFiles(t, dir, nil)
}

func TestDamagedContentIsReplaced(t *testing.T) {
	s, dir := open(t, 0)
	put(t, s, "whole").Keep()
	must.Do(t, os.Truncate(filepath.Join(dir, nameOf("whole")), 2))
	put(t, s, "whole").Keep()
	wantFiles(t, dir, map[string]string{nameOf("whole"): "whole"})
}

func TestOpenRemovesIncompleteFiles(t *testing.T) {
	s, dir := open(t, 0)
	put(t, s, "good").Keep()
	path := must.Have(s.Receive(put(t, s, "good").SHA256, "an-id", "a name [x]*.txt"))(t)
	further := FurtherCopy("an-id", "readers")
	forwarded := must.Have(s.Receive(put(t, s, "good").SHA256, further, "x"))(t)

	for _, name := range []string{
		filepath.Join(dir, "files", partPrefix+"123"),
		filepath.Join(filepath.Dir(path), partPrefix+"9"),
		filepath.Join(filepath.Dir(forwarded), partPrefix+"9"),
	} {
		must.Do(t, os.WriteFile(name, []byte("half"), 0o600))
	}

	must.Have(Open(dir, filepath.Join(dir, "received"), 0))(t)

	wantFiles(t, dir, map[string]string{
		nameOf("good"): "good", "received/an-id/a name [x]*.txt": "good",
		filepath.Join("received", further, "x"): "good",
	})
}

func TestRecipientsMayChangeTheirCopy(t *testing.T) {
	s, dir := open(t, 0)
	c := put(t, s, "original")
	c.Keep()

	path := must.Have(s.Receive(c.SHA256, "id", "report.txt"))(t)
	must.Do(t, os.WriteFile(path, []byte("scribbled"), 0o600))
	if again, err := s.Receive(c.SHA256, "id", "report.txt"); err != nil || again != path {
		t.Errorf("the second time it gave %q, %v", again, err)
	}

	wantFiles(t, dir, map[string]string{nameOf("original"): "original", "received/id/report.txt": "scribbled"})
	if err := s.Withdraw("id", "report.txt"); err != nil {
		t.Error(err)
	}

	wantFiles(t, dir, map[string]string{nameOf("original"): "original"})
	if left, _ := os.ReadDir(filepath.Join(dir, "received")); len(left) != 0 {
		t.Errorf("%v was left", left)
	}
}
