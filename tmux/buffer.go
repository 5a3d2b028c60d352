package tmux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	dir  string
	lock *os.File
	next atomic.Uint64
}

// newTextDir makes a directory below parent, or below the default if that is "", and
// removes those of dead owners.
func newTextDir(parent string) (*textDir, error) {
	if parent == "" {
		parent = textDirParent()
	}
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
			return &textDir{dir: dir, lock: lock}, nil
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
	b := Buffer{Name: "p" + strings.TrimPrefix(filepath.Base(s.texts.dir), textDirPrefix) + "-" + n}
	if !s.opts.Join && len(text) <= inlineLimit {
		b.Load = "set-buffer -b " + b.Name + " -- " + quote(text)
		return b, nil
	}

	b.path = filepath.Join(s.texts.dir, n)
	b.Load = "load-buffer -b " + b.Name + " " + quote(b.path)
	if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
		return Buffer{}, errors.Join(fmt.Errorf("write the message text: %w", err), b.removeFile())
	}

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
