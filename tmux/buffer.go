package tmux

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// textDirPrefix begins the name of every directory of message texts. Versions up to 0.9 lock a
// file in directories that begin with "parley-tmux-".
const textDirPrefix = "parley-texts-"

// textDir is a private directory of files from which tmux loads message texts. A
// text in a file stays out of tmux's message log and costs the same up to 100 kB.
// The directory itself is locked while its owner lives. One that is not locked is
// therefore the leftover of a dead owner.
type textDir struct {
	parent string // "" for the default
	name   string // no other one has it
	next   atomic.Uint64

	mu   sync.Mutex
	dir  string
	lock *os.File
}

// write writes a text to a file and returns its path. It makes the directory again where that was removed, as
// the runtime directory of a user is at logout.
func (d *textDir) write(name, text string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := filepath.Join(d.dir, name)
	err := os.WriteFile(path, []byte(text), 0o600)
	if !errors.Is(err, os.ErrNotExist) {
		return path, err
	}

	again, err := newTextDir(d.parent)
	if err != nil {
		return path, err
	}
	_ = d.lock.Close() // of a directory that has no name any more
	d.dir, d.lock = again.dir, again.lock
	path = filepath.Join(d.dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// newTextDir makes a directory below parent, or below the default if that is "", and
// removes those of dead owners.
func newTextDir(given string) (*textDir, error) {
	parent := cmp.Or(given, textDirParent())
	removeStale(parent)

	// Another process takes a new directory for a leftover until it is locked.
	const tries = 10
	for try := 1; ; try++ {
		dir, err := os.MkdirTemp(parent, textDirPrefix+"*") // 0700
		if err != nil {
			return nil, fmt.Errorf("make a directory for message texts: %w", err)
		}

		lock, err := lockDir(dir)
		if err == nil {
			name := strings.TrimPrefix(filepath.Base(dir), textDirPrefix)
			return &textDir{parent: given, name: name, dir: dir, lock: lock}, nil
		}
		if try == tries {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
		}
	}
}

// textDirParent prefers a file system in memory: a rewrite on ext4 cost 1.4 ms.
func textDirParent() string {
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/dev/shm"} {
		if dir != "" && unix.Access(dir, unix.W_OK|unix.X_OK) == nil {
			return dir
		}
	}
	return os.TempDir()
}

// lockDir locks a directory that still stands under its name afterwards. The lock goes
// with its owner's process.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}

	if _, err := os.Lstat(dir); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeStale removes the directories of dead owners. What it cannot remove belongs
// to another user, or its owner lives.
func removeStale(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), textDirPrefix) || !e.IsDir() {
			continue
		}

		dir := filepath.Join(parent, e.Name())
		if lock, err := lockDir(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

func (d *textDir) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := os.RemoveAll(d.dir)
	if closed := d.lock.Close(); !errors.Is(closed, os.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// inlineLimit is the longest text, in bytes, that travels in the command line itself
// on parley's own server, whose log of command lines is off. A file makes the
// server pause the line until its next round, which with 200 panes takes 0.35 ms; a
// byte in the line costs 0.1 us.
const inlineLimit = 1024

// Buffer is a paste buffer of tmux that is about to be filled with a text.
type Buffer struct {
	Name string // no other message of any process uses it
	Load string // the command that fills it
	path string // the file to remove afterwards; "" if there is none
}

// Load implements Runner.
func (p *Pane) Load(text string) (Buffer, error) { return p.server.newBuffer(text) }

// newBuffer prepares text for one paste.
func (s *Server) newBuffer(text string) (Buffer, error) {
	n := strconv.FormatUint(s.texts.next.Add(1), 10)
	b := Buffer{Name: "p" + s.texts.name + "-" + n}
	if !s.opts.Join && len(text) <= inlineLimit {
		b.Load = "set-buffer -b " + b.Name + " -- " + quote(text)
		return b, nil
	}

	var err error
	if b.path, err = s.texts.write(n, text); err != nil {
		return Buffer{}, errors.Join(fmt.Errorf("write the message text: %w", err), b.removeFile())
	}
	b.Load = "load-buffer -b " + b.Name + " " + quote(b.path)

	return b, nil
}

// drop returns commands that delete the buffer, and do not fail where Load did.
func (b *Buffer) drop() string {
	return "set-buffer -a -b " + b.Name + " x ; delete-buffer -b " + b.Name
}

// removeFile removes the buffer's file, if there is one.
func (b *Buffer) removeFile() error {
	if b.path == "" {
		return nil
	}
	if err := os.Remove(b.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
