package store

import (
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
)

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
