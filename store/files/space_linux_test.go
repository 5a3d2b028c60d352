package files

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/must"
)

// The test uses a real, very small disk.
func TestFullDiskIsReportedAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}

	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})

	s := must.Have(Open(dir, filepath.Join(dir, "received"), 0))(t)

	_, err := s.Put(t.Context(), bytes.NewReader(make([]byte, 2<<20)))
	wantCode(t, "Put", err, parley.StorageUnavailable)
	wantFiles(t, dir, nil)
	if err := s.Refusal(); err != nil {
		t.Errorf("with room for others: %v", err)
	}

	most := strings.Repeat("x", 700<<10) // fits once, not twice
	c := put(t, s, most)
	_, err = s.Receive(c.SHA256, "id", "name")
	wantCode(t, "Receive", err, parley.StorageUnavailable)
	wantFiles(t, dir, map[string]string{nameOf(most): most})
	most = strings.Repeat("y", 300<<10)
	second := put(t, s, most[:200<<10])
	_, err = s.Put(t.Context(), strings.NewReader(most))
	wantCode(t, "Put", err, parley.StorageUnavailable)
	wantCode(t, "the last file", s.Refusal(), parley.StorageUnavailable)
	must.Do(t, second.Drop())
	if err := c.Drop(); err != nil {
		t.Error(err)
	}

	if err := s.Refusal(); err != nil {
		t.Errorf("there is room, and got %v", err)
	}
	put(t, s, "there is room").Keep()
	wantFiles(t, dir, map[string]string{nameOf("there is room"): "there is room"})
}
