package plainfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
	"parley/internal/plainfile"
)

func TestReadTakesRegularFilesAlone(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(in("file"), []byte("text"), 0o600))
	must.Do(t, os.Symlink("file", in("link")))
	must.Do(t, os.Symlink("/dev/zero", in("device")))
	must.Do(t, syscall.Mkfifo(in("pipe"), 0o600))

	for _, name := range []string{"file", "link"} {
		if got, err := plainfile.Read(in(name), 4); err != nil || string(got) != "text" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]error{
		"missing": fs.ErrNotExist, ".": syscall.EISDIR,
		"device": plainfile.ErrNotRegular, "pipe": plainfile.ErrNotRegular,
	} {
		if got, err := plainfile.Read(in(name), 4); !errors.Is(err, want) {
			t.Errorf("%s: got %q, %v, want %v", name, got, err, want)
		}
	}
	if got, err := plainfile.Read(in("file"), 3); err == nil || !strings.Contains(err.Error(), "at most 3") {
		t.Errorf("over the limit: got %q, %v", got, err)
	}
}
