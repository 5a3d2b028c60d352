package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func open(t *testing.T, limit int64) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	s := must.Have(Open(dir, filepath.Join(dir, "received"), limit))(t)
	return s, dir
}

// everything returns the files below a directory with their contents.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		info, err := d.Info()
		if err != nil {
			return err
		}
		if perm := info.Mode().Perm(); perm&0o077 != 0 && path != dir {
			t.Errorf("%s can be read by others: %o", path, perm)
		}
		if d.IsDir() || strings.HasPrefix(d.Name(), markPrefix) { // a call still uses it
			return nil
		}

		b, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, dir+"/")] = string(b)

		return err
	}))

	return found
}
