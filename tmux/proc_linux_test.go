package tmux

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/must"
)

// A program reads files of others, such as earlier sessions. Only what it writes is its own.
func TestOpenFilesAreThoseThatAreWritten(t *testing.T) {
	dir := must.Have(filepath.EvalSymlinks(t.TempDir()))(t)
	for name, flags := range map[string]int{
		"read": os.O_RDONLY, "written": os.O_WRONLY | os.O_APPEND, "both": os.O_RDWR,
	} {
		f := must.Have(os.OpenFile(filepath.Join(dir, name), os.O_CREATE|flags, 0o600))(t)
		t.Cleanup(func() { must.Do(t, f.Close()) })
	}

	open := OpenFiles(os.Getpid())
	for name, want := range map[string]bool{"read": false, "written": true, "both": true} {
		if got := slices.Contains(open, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is among the open files: %t, want %t; they are %q", name, got, want, open)
		}
	}
}
