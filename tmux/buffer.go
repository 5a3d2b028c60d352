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

// textDirPrefix begins the name of every directory of message texts.
const textDirPrefix = "parley-tmux-"

// textDir is a private directory of files from which tmux loads message texts. A
// text in a file stays out of tmux's message log and costs the same up to 100 kB.
// The directory is locked while its owner lives. A free lock therefore marks the
// leftovers of a dead owner.
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
	dir, err := os.MkdirTemp(parent, textDirPrefix+"*") // 0700
	if err != nil {
		return nil, fmt.Errorf("make a directory for message texts: %w", err)
	}

	lock, err := lockFile(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), os.RemoveAll(dir))
	}

	return &textDir{dir: dir, lock: lock}, nil
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

func lockFile(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeStale removes the directories of dead owners. What it cannot remove belongs
// to another user, or its owner lives.
func removeStale(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if !strings.HasPrefix(e.Name(), textDirPrefix) || !e.IsDir() {
			continue
		}

		// A directory without a lock file is being made or removed.
		if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
			continue
		}

		if lock, err := lockFile(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

func (d *textDir) close() error {
	err := d.lock.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(os.RemoveAll(d.dir), err)
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
