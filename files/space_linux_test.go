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

	most := strings.Repeat("x", 700<<10) // fits once, not twice
	c := put(t, s, most)
	_, err = s.Receive(c.SHA256, "id", "name")
	wantCode(t, "Receive", err, parley.StorageUnavailable)
	wantFiles(t, dir, map[string]string{nameOf(most): most})
	if err := c.Drop(); err != nil {
		t.Error(err)
	}

	put(t, s, "there is room").Keep()
	wantFiles(t, dir, map[string]string{nameOf("there is room"): "there is room"})
}
