// Package files keeps the contents of files by what they hold: each content once,
// under its SHA-256, complete and on the disk or not at all. It also gives recipients
// copies under a name of their own, and reads what agents want to send without being
// led out of the directories that they may send from.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"parley"
)

// DefaultLimit is how many bytes a file may have unless a setting says otherwise:
// enough for logs, builds and pictures, far from filling a disk.
const DefaultLimit = 100_000_000

// chunk is how much is read at a time.
const chunk = 256 << 10

// part begins the names of files that are not complete. Nothing that is has a dot.
const part = ".part-"

// Store is a directory of contents. Its methods may be called concurrently.
type Store struct {
	contents string // CONTENTS/aa/SHA256
	received string // RECEIVED/FILE-ID/NAME
	limit    int64
	space    func(dir string) (free, all int64, err error)

	mu   sync.Mutex
	pins map[string]*pin // by SHA-256
}

// pin is a content that calls are at work with.
type pin struct {
	holders int
	fresh   bool // it was not there before
	kept    bool // one of them keeps it
}

// Open makes the directories in dir, private to the user, and removes what a crash
// left unfinished there. limit is the size of the largest file; 0 is the default.
func Open(dir string, limit int64) (*Store, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}

	s := &Store{
		contents: filepath.Join(dir, "files"),
		received: filepath.Join(dir, "received"),
		limit:    limit,
		space:    space,
		pins:     map[string]*pin{},
	}

	for _, d := range []string{s.contents, s.received} {
		if err := private(d); err != nil {
			return nil, err
		}
	}

	return s, s.sweep()
}

// Limit is how many bytes a file may have.
func (s *Store) Limit() int64 { return s.limit }

func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(dir, "making a directory for files", err)
	}
	return failed(dir, "making the directory for files private", os.Chmod(dir, 0o700))
}

func (s *Store) sweep() error {
	for _, pattern := range []string{filepath.Join(escape(s.contents), part+"*"), filepath.Join(escape(s.received), "*", part+"*")} {
		parts, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("look for unfinished files: %w", err)
		}
		for _, name := range parts {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return failed(name, "removing an unfinished file", err)
			}
		}
	}
	return nil
}

// escape writes a path so that a pattern matches it alone.
func escape(path string) string {
	var b []byte
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}

// Content is what a file holds. Whoever got it from Put calls Keep or Drop, once.
type Content struct {
	SHA256 string
	Size   int64

	store *Store
}

// Put reads r to its end and stores what it holds; when it returns it is on the disk.
// FILE_REFUSED when it is larger than the limit, STORAGE_UNAVAILABLE when there is
// no room; an error of r is returned as it is. A failure leaves nothing.
func (s *Store) Put(ctx context.Context, r io.Reader) (_ *Content, err error) {
	temp, err := os.CreateTemp(s.contents, part+"*")
	if err != nil {
		return nil, failed(s.contents, "storing the file", err)
	}
	defer func() {
		_ = temp.Close()           // it was synced, or is removed
		_ = os.Remove(temp.Name()) // it has its own name by now, or is not wanted
	}()

	c := &Content{store: s}
	if c.SHA256, c.Size, err = s.copy(ctx, temp, r); err != nil {
		return nil, err
	}
	if err := temp.Sync(); err != nil {
		return nil, failed(s.contents, "storing the file", err)
	}

	return c, s.settle(temp.Name(), c)
}

// copy copies at most the limit and returns its hash and how much it was.
func (s *Store) copy(ctx context.Context, w io.Writer, r io.Reader) (string, int64, error) {
	sum, buffer, size := sha256.New(), make([]byte, chunk), int64(0)
	for n := 0; ; n++ {
		if n%roomEvery == 0 {
			if err := s.Room(0); err != nil {
				return "", 0, err
			}
		}

		if err := ctx.Err(); err != nil {
			return "", 0, err
		}

		n, err := r.Read(buffer)
		if size += int64(n); size > s.limit {
			return "", 0, s.TooLarge(0)
		}

		sum.Write(buffer[:n])
		if _, err := w.Write(buffer[:n]); err != nil {
			return "", 0, failed(s.contents, "storing the file", err)
		}

		switch {
		case err == io.EOF: // itself: what is cut off may wrap it
			return hex.EncodeToString(sum.Sum(nil)), size, nil
		case err != nil:
			return "", 0, err
		}
	}
}

// TooLarge is the error of a file beyond the limit; size is 0 where it is not known.
func (s *Store) TooLarge(size int64) *parley.Error {
	e := parley.Errorf(parley.FileRefused, "the file is larger than %d bytes", s.limit).With("limit", s.limit)
	if size > 0 {
		e = parley.Errorf(parley.FileRefused, "the file has %d bytes, %d are allowed", size, s.limit).
			With("limit", s.limit).
			With("size", size)
	}
	return e.Suggest("Send a part of it, or compress it; the operator can raise max_file_mb in parley.yaml.")
}

// settle gives a complete content its name, unless it is there already.
func (s *Store) settle(temp string, c *Content) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	name := s.path(c.SHA256)
	p := s.pins[c.SHA256]
	if p == nil {
		p = &pin{}
	}

	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() != c.Size {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), mark(s.contents, c.SHA256)); err != nil {
			return failed(name, "storing the file", err)
		}

		if err := errors.Join(os.Rename(temp, name), syncDir(filepath.Dir(name)), syncDir(s.contents)); err != nil {
			_, _ = os.Remove(name), unmark(s.contents, c.SHA256)
			return failed(name, "storing the file", err)
		}

		p.fresh = true
	}

	p.holders++
	s.pins[c.SHA256] = p

	return nil
}

// Keep leaves the content in the store.
func (c *Content) Keep() { _ = c.store.unpin(c.SHA256, true) }

// Drop removes the content, unless it was there before or somebody else keeps it.
func (c *Content) Drop() error { return c.store.unpin(c.SHA256, false) }

func (s *Store) unpin(sha string, keep bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	p := s.pins[sha]
	p.holders--
	p.kept = p.kept || keep
	if p.holders > 0 {
		return nil
	}

	delete(s.pins, sha)
	if !p.fresh {
		return nil
	}

	var err error
	if !p.kept {
		err = os.Remove(s.path(sha))
	}

	return failed(s.contents, "removing the file again", errors.Join(err, unmark(s.contents, sha)))
}

func (s *Store) path(sha string) string { return filepath.Join(s.contents, sha[:2], sha) }

// Content opens what is stored under a hash for reading.
func (s *Store) Content(sha string) (*os.File, error) {
	f, err := os.Open(s.path(sha))
	return f, failed(s.contents, "reading the file", err)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// failed describes what the disk refused; nil stays nil.
func failed(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return parley.Errorf(parley.StorageUnavailable, "the disk is full, and nothing was changed (%s)", doing).
			With("file", path).
			Suggest("Make room on the disk of %s and try again.", path)
	}
	return parley.Errorf(parley.StorageUnavailable, "%s failed: %w", doing, err).With("file", path).
		Suggest("Look at %s: is it there, and yours to write? Then try again.", filepath.Dir(path))
}
