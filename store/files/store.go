// Package files stores the contents of files by their hash: each content once, under its
// SHA-256, complete and on the disk or not at all. It also makes the recipients' copies
// under the files' names, and reads the files that agents send, only from the directories
// that they may send from.
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
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/disk"
)

// defaultLimit is the largest size of a file in bytes unless the settings say otherwise:
// enough for logs, builds and pictures, and too small to fill a disk.
const defaultLimit = 100_000_000

// chunk is how many bytes are read at a time.
const chunk = 256 << 10

// partPrefix begins the names of incomplete files. No complete file begins with a dot.
const partPrefix = ".part-"

// Store is a directory of contents and of recipients' copies. It is safe for concurrent
// use.
type Store struct {
	contents string // CONTENTS/aa/SHA256
	received string // RECEIVED/FILE-ID/NAME
	limit    int64
	space    func(dir string) (free, all int64, err error)
	refused  atomic.Pointer[parley.Error] // why the last file was not stored

	mu   sync.Mutex
	pins map[string]*pin // by SHA-256
}

// pin keeps a content while calls work with it.
type pin struct {
	holders int  // calls that have yet to call Keep or Drop
	fresh   bool // the content is new in the store
	kept    bool // one of the calls called Keep
}

// Open makes a directory below dir for the contents, and one for the recipients' copies, private to the user. It
// removes incomplete files that a crash left there. limit is the largest size of a file in bytes; 0 is the default.
func Open(dir, received string, limit int64) (*Store, error) {
	if limit <= 0 {
		limit = defaultLimit
	}

	s := &Store{
		contents: filepath.Join(dir, "files"),
		received: received,
		limit:    limit,
		space:    diskSpace,
		pins:     map[string]*pin{},
	}

	for _, d := range []string{s.contents, s.received} {
		if err := makePrivate(d); err != nil {
			return nil, err
		}
	}

	return s, s.removeParts()
}

// Limit returns the largest size of a file, in bytes.
func (s *Store) Limit() int64 { return s.limit }

// makePrivate makes a directory that only the user can read.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(dir, "making a directory for files", err)
	}
	return failed(dir, "making the directory for files private", os.Chmod(dir, 0o700))
}

// removeParts removes incomplete files.
func (s *Store) removeParts() error {
	for _, pattern := range []string{
		filepath.Join(escape(s.contents), partPrefix+"*"),
		filepath.Join(escape(s.received), "*", partPrefix+"*"),
		filepath.Join(escape(s.received), "*"+furtherSuffix, "*", partPrefix+"*"),
	} {
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

// escape returns a pattern that matches only the path.
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

// Content is the stored content of a file. The caller of Put must call Keep or Drop, once.
type Content struct {
	SHA256 string
	Size   int64

	store *Store
}

// Put reads r to its end and stores the content, which is on the disk when Put returns.
// It fails with FILE_REFUSED above the limit, with STORAGE_UNAVAILABLE if the disk is
// full, and with r's own errors unchanged. A failure leaves nothing behind.
func (s *Store) Put(ctx context.Context, r io.Reader) (_ *Content, err error) {
	defer func() { _ = s.note(err) }()

	temp, err := os.CreateTemp(s.contents, partPrefix+"*")
	if err != nil {
		return nil, failed(s.contents, "storing the file", err)
	}
	defer func() {
		_ = temp.Close()           // it is synced, or removed next
		_ = os.Remove(temp.Name()) // does nothing after the rename
	}()

	c := &Content{store: s}
	if c.SHA256, c.Size, err = s.copy(ctx, temp, r); err != nil {
		return nil, err
	}
	if err := temp.Sync(); err != nil {
		return nil, failed(s.contents, "storing the file", err)
	}

	return c, s.publish(temp.Name(), c)
}

// copy copies r to w, at most limit bytes, and returns the hash and the size.
func (s *Store) copy(ctx context.Context, w io.Writer, r io.Reader) (string, int64, error) {
	sum, buffer, size := sha256.New(), make([]byte, chunk), int64(0)
	for chunks := 0; ; chunks++ {
		if chunks%spaceEvery == 0 {
			if err := s.CheckSpace(0); err != nil {
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
		case err == io.EOF: // not wrapped: the error of a broken stream may wrap it
			return hex.EncodeToString(sum.Sum(nil)), size, nil
		case err != nil:
			return "", 0, err
		}
	}
}

// TooLarge returns the error for a file above the limit. A size of 0 is unknown.
func (s *Store) TooLarge(size int64) *parley.Error {
	e := parley.Errorf(parley.FileRefused, "the file is larger than %d bytes", s.limit).With("limit", s.limit)
	if size > 0 {
		e = parley.Errorf(parley.FileRefused, "the file has %d bytes, %d are allowed", size, s.limit).
			With("limit", s.limit).
			With("size", size)
	}
	return e.Suggest("Send a part of it, or compress it; the operator can raise max_file_mb in parley.yaml.")
}

// publish renames a complete content to its hash, unless the store has it, and pins it.
func (s *Store) publish(temp string, c *Content) error {
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

		if err := errors.Join(os.Rename(temp, name), disk.SyncDir(filepath.Dir(name)),
			disk.SyncDir(s.contents)); err != nil {
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

// Drop removes the content unless it was stored before or another call keeps it.
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

// Content opens the content with a hash for reading.
func (s *Store) Content(sha string) (*os.File, error) {
	f, err := os.Open(s.path(sha))
	return f, failed(s.contents, "reading the file", err)
}

// Has reports whether the store has the content with a hash.
func (s *Store) Has(sha string) bool {
	info, err := os.Lstat(s.path(sha))
	return err == nil && info.Mode().IsRegular()
}

// failed returns STORAGE_UNAVAILABLE for an error of the disk, nil for nil.
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

// Files leave at least reserve bytes of the disk for the database, whose log takes up to
// 16 MB, and for its backups; on a small disk a twentieth of it.
const (
	reserve      = 50 << 20
	reserveShare = 20
)

// spaceEvery is the number of chunks, 16 MB, after which the free space is checked again.
const spaceEvery = 16 << 20 / chunk

// diskSpace returns the free and the total bytes of the disk that holds dir.
func diskSpace(dir string) (free, all int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	block := int64(st.Bsize) // its type depends on the system
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}

// CheckSpace fails with STORAGE_UNAVAILABLE unless the disk has space for a file of size
// bytes, for a recipient's copy of it, and for the reserve.
func (s *Store) CheckSpace(size int64) error {
	if err := s.tooLittle(size); err != nil {
		return s.note(err)
	}
	return nil
}

func (s *Store) tooLittle(size int64) error {
	free, all, err := s.space(s.contents)
	if err != nil {
		return nil // the write will fail if the disk is full
	}
	if need := 2*size + min(reserve, all/reserveShare); free < need {
		return parley.Errorf(parley.StorageUnavailable,
			"the disk has %d bytes left, and a file of this size needs %d", free, need).
			With("file", s.contents).With("free", free).With("needed", need).
			Suggest("Make room on the disk: parley files shows what files take, " +
				"and parley files prune deletes old ones.")
	}
	return nil
}

// roomNeeded is the room in bytes with which a disk counts as full no more.
const roomNeeded = 256 << 10

// note notes how the storing of a content or a copy ended, for Refusal, and returns that.
func (s *Store) note(err error) error {
	e := parley.AsError(err)
	switch {
	case e == nil:
		s.refused.Store(nil)
	case e.Code == parley.StorageUnavailable:
		s.refused.Store(e)
	}
	return err
}

// Refusal returns why the last file was not stored, nil once there is room for files again.
func (s *Store) Refusal() error {
	e := s.refused.Load()
	if e == nil {
		return nil
	}
	if s.tooLittle(0) == nil && disk.HasRoom(s.contents, roomNeeded) {
		s.refused.CompareAndSwap(e, nil)
		return nil
	}
	return e
}

// Free returns the free bytes of the disk.
func (s *Store) Free() (int64, error) {
	free, _, err := s.space(s.contents)
	return free, failed(s.contents, "asking for the disk's free space", err)
}
