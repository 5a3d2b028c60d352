package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/place"
)

// lockedPlace returns a place that was prepared, and the lock of a daemon there.
func lockedPlace(t *testing.T) (place.Place, *os.File) {
	t.Helper()
	dir := shortDir(t)
	at := place.Locate(t.TempDir(), Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + dir})
	must.Do(t, at.Prepare())

	held := must.Have(at.Lock().Take())(t)
	t.Cleanup(func() { _ = held.Close() })
	return at, held
}

// The directory of the sockets may be removed at any time.
func TestDaemonStartsWhileAnotherEnds(t *testing.T) {
	at, ending := lockedPlace(t)

	must.Do(t, at.Prepare()) // the next daemon
	must.Do(t, os.RemoveAll(at.Runtime+"/daemon.sock"))
	must.Do(t, ending.Close())

	held := must.Have(at.Lock().Take())(t)
	defer held.Close()
	l, err := listenUnix(t.Context(), at)
	if err != nil {
		t.Fatalf("the next daemon gives up: %v", err)
	}
	l.Close()
}

// What replaces the database keeps the lock while it does.
func TestAwaitedLockIsKept(t *testing.T) {
	at, running := lockedPlace(t)

	over, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("too long"))
	if held, err := at.Lock().Await(over); held != nil || err != context.Cause(over) {
		t.Errorf("while a daemon runs: got %v, %v, want the cause of the end", held, err)
	}

	must.Do(t, running.Close())
	held := must.Have(at.Lock().Await(t.Context()))(t)
	if other, err := at.Lock().Take(); parley.ErrorCode(err) != parley.DaemonRunning {
		t.Errorf("a daemon starts meanwhile: got %v, %v", other, err)
	}

	must.Do(t, held.Close())
	must.Do(t, must.Have(at.Lock().Take())(t).Close())
}

// Whoever calls starts the next daemon as soon as one has ended.
func TestEndIsSeenAlthoughTheNextDaemonRuns(t *testing.T) {
	at, _ := lockedPlace(t)
	const ended, next = 4711, 4712
	over, cancel := context.WithCancel(t.Context())
	cancel()

	if err := AwaitGone(over, at, ended); err == nil {
		t.Error("a daemon that has removed its address, and not ended, is gone")
	}
	must.Do(t, writeInfo(at.Info(), Info{PID: next, Socket: at.Socket()}))
	if err := AwaitGone(over, at, next); err == nil {
		t.Error("a daemon that runs is gone")
	}
	if err := AwaitGone(t.Context(), at, ended); err != nil {
		t.Errorf("while the next one runs: %v", err)
	}
}

// A daemon whose state was removed has lost its lock. No second one takes its socket.
func TestASocketThatAnswersIsNotTaken(t *testing.T) {
	at, held := lockedPlace(t)
	l := must.Have(listenUnix(t.Context(), at))(t)
	defer l.Close()
	must.Do(t, held.Close())
	if second, err := listenUnix(t.Context(), at); parley.ErrorCode(err) != parley.DaemonRunning {
		t.Errorf("got %v, %v", second, err)
	}
}

// A daemon whose state was moved finds out that another one has its place. It leaves that one's files alone.
// Notes in a place have a command start a daemon there: one whose state was moved away takes the place before it writes
// any, and keeps it until what it held is saved.
func TestADaemonWhoseStateIsGoneTakesItsPlaceFirst(t *testing.T) {
	at, held := lockedPlace(t)
	d := &daemon{Options: Options{Place: at}, lock: held}
	must.Do(t, os.Rename(at.Home, at.Home+"-away"))
	must.Do(t, d.hold())
	if at.InUse() {
		t.Error("its notes are there, and another daemon could be started for them")
	}
	if _, err := at.Lock().Take(); parley.ErrorCode(err) != parley.DaemonRunning {
		t.Errorf("another daemon takes the place: %v", err)
	}
	must.Do(t, d.lock.Close())
}

func TestDaemonNoticesThatAnotherHasItsPlace(t *testing.T) {
	at, held := lockedPlace(t)
	d := &daemon{Options: Options{Place: at}, lock: held}
	if d.isReplaced() {
		t.Error("a daemon takes its own lock for another's")
	}

	must.Do(t, os.Rename(at.Home, at.Home+"-away"))
	if d.isReplaced() {
		t.Error("no lock counts as another's")
	}
	must.Do(t, at.Prepare())
	other := must.Have(at.Lock().Take())(t)
	defer other.Close()
	if !d.isReplaced() {
		t.Error("another's lock goes unnoticed")
	}
	if err := d.appear(); parley.ErrorCode(err) != parley.DaemonRunning {
		t.Errorf("it appears again: %v", err)
	}
}

func locate(root, name string) place.Place {
	env := Environ{"XDG_STATE_HOME=" + root + "/state", "XDG_RUNTIME_DIR=" + root}
	return place.Locate(filepath.Join(root, name), env)
}

// shortDir returns a directory for sockets: their paths are short, and those of tests are not.
func shortDir(t *testing.T) string {
	t.Helper()
	dir := must.Have(os.MkdirTemp("/tmp", "pt"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return place.RealPath(dir)
}
