package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/must"
)

// TestFullDiskRecovers fills a real disk, a very small one.
func TestFullDiskRecovers(t *testing.T) {
	needsFile(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=3m,mode=0700"); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}

	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})

	ballast := filepath.Join(dir, "ballast")
	must.Do(t, os.WriteFile(ballast, make([]byte, 1<<20), 0o600))

	s := openAt(t, filepath.Join(dir, "parley.db"))
	addAgents(t, s, 2)
	stored, err := fill(t, s)
	wantFull(t, err)
	wantStored(t, s, stored)
	_, err = s.Workspace.Backup(t.Context(), filepath.Join(dir, "copy.db"))
	wantFull(t, err)
	if _, err := os.Stat(filepath.Join(dir, "copy.db")); err == nil {
		t.Error("half a copy was left")
	}
	wantFull(t, s.Workspace.Ping(t.Context()))
	must.Do(t, os.Remove(ballast))
	// Nobody has to write for it to be said.
	must.Become(t, "it answers again", func() bool { return s.Workspace.Ping(t.Context()) == nil })
	if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil {
		t.Errorf("Append when there is room: %v", err)
	}

	wantStored(t, s, stored+1)
}

// asNobody runs a test without rights to files of others. The goroutine is locked to its
// thread, which ends with it.
func asNobody(t *testing.T, test func()) {
	t.Helper()
	if os.Getuid() != 0 {
		test()
		return
	}

	done := make(chan struct{})
	go func() {
		defer close(done)

		runtime.LockOSThread()
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}

		test()
	}()

	<-done
}

func TestOpenWithoutPermission(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	must.Do(t, openAt(t, path).Close())
	must.Do(t, os.Chmod(path, 0o400))

	asNobody(t, func() {
		s, err := open(t.Context(), Options{Path: path}, tuning{busyTimeout: time.Second})
		if err == nil {
			s.Close()
			t.Error("it was opened")
			return
		}

		wantCode(t, "open", err, parley.StorageUnavailable)
		if !strings.Contains(err.Error(), "no permission") {
			t.Errorf("got %v, want it to say that there is no permission", err)
		}
	})
}
