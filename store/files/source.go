package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"parley"
	"parley/plain"
)

// stateDir is the name of the directories in which workspaces keep their state.
const stateDir = ".parley"

// Bounds say which files may be read.
type Bounds struct {
	Roots   []string // absolute directories; a file must lie in one of them
	Private []string // directories in which no file may be read, even below Roots
}

// Source is a file that is being read. Reading ends with an error if the file changes
// after it was opened.
type Source struct {
	file   *os.File
	opened os.FileInfo
	left   int64
}

// Open opens a regular file within the bounds for reading. It first resolves symbolic
// links, and then opens each directory on the resolved path from the one before without
// following any, so that a change in the meantime leads nowhere else. It does not open a
// file that is not regular, and it checks the opened file itself. It fails with
// FILE_REFUSED and the reason, or with FILE_NOT_FOUND.
func (b Bounds) Open(path string) (*Source, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, b.missing(path, err)
	}

	root, rel, ok := b.within(real)
	if !ok {
		return nil, b.outside(path)
	}
	if inStateDir(real) || b.isPrivate(real) {
		return nil, privateError(path)
	}

	fd, err := b.walk(root, strings.Split(rel, string(filepath.Separator)))
	switch {
	case errors.Is(err, errPrivate):
		return nil, privateError(path)
	case errors.Is(err, errSpecial):
		return nil, refusedFile(path, "is not a regular file").
			Suggest("Send a file; make an archive of a directory first.")
	case err != nil:
		return nil, b.unreadable(path, err)
	}

	f := os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err == nil && links(info) > 1 {
		err = refusedFile(path, "has other names (hard links), which may belong to others").
			Suggest("Copy it with cp, and send the copy.")
	}

	if err != nil {
		return nil, errors.Join(err, f.Close())
	}

	return &Source{file: f, opened: info, left: info.Size()}, nil
}

// within returns the resolved root that a resolved path lies in, and the path from there.
func (b Bounds) within(real string) (root, rel string, ok bool) {
	for _, dir := range b.Roots {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		if rel, err := filepath.Rel(dir, real); err == nil && rel != "." && filepath.IsLocal(rel) {
			return dir, rel, true
		}
	}
	return "", "", false
}

// isPrivate reports whether a resolved path lies in a private directory.
func (b Bounds) isPrivate(real string) bool {
	for _, dir := range b.Private {
		if dir, err := filepath.EvalSymlinks(dir); err == nil {
			if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// inStateDir reports whether a path leads through a state directory. It ignores case, as
// some file systems do.
func inStateDir(path string) bool {
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		if strings.EqualFold(name, stateDir) {
			return true
		}
	}
	return false
}

var (
	errPrivate = errors.New("it is parley's own")
	errSpecial = errors.New("it is not a regular file")
)

// walk opens root, then each name in the directory before it, and returns the file.
func (b Bounds) walk(root string, names []string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	dir, err := openAt(unix.AT_FDCWD, root, flags)
	for _, name := range names[:len(names)-1] {
		if err != nil {
			return -1, err
		}

		var next int
		if err = b.checkPublic(dir); err == nil {
			next, err = openAt(dir, name, flags)
		}

		_ = unix.Close(dir) // it was only read
		dir = next
	}

	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)

	if err := b.checkPublic(dir); err != nil {
		return -1, err
	}

	return openRegular(dir, names[len(names)-1])
}

// checkPublic returns errPrivate if an opened directory is private, whatever its name is
// now.
func (b Bounds) checkPublic(dir int) error {
	var this unix.Stat_t
	if err := unix.Fstat(dir, &this); err != nil {
		return err
	}
	for _, private := range b.Private {
		var that unix.Stat_t
		if unix.Stat(private, &that) == nil && this.Dev == that.Dev && this.Ino == that.Ino {
			return errPrivate
		}
	}
	return nil
}

// openRegular opens a regular file. It checks the type before opening, because opening a
// pipe or a device has effects, and after, because the file may be replaced in between.
// Opening never blocks.
func openRegular(dir int, name string) (int, error) {
	var info unix.Stat_t
	if err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, err
	}
	if info.Mode&unix.S_IFMT == unix.S_IFLNK {
		return -1, unix.ELOOP
	}
	if info.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, errSpecial
	}

	fd, err := openAt(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC)
	if err != nil {
		return -1, err
	}
	if err = unix.Fstat(fd, &info); err == nil && info.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errSpecial
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}

	return fd, nil
}

func openAt(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func links(info os.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink)
}

// Size returns the size of the file when it was opened, in bytes.
func (s *Source) Size() int64 { return s.opened.Size() }

// Close closes the file.
func (s *Source) Close() error { return s.file.Close() }

// Read reads the file up to the size that it had when it was opened.
func (s *Source) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, s.checkUnchanged()
	}
	n, err := s.file.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if errors.Is(err, io.EOF) {
		return n, s.changed()
	}
	return n, err
}

// checkUnchanged returns io.EOF, or an error if the file has changed.
func (s *Source) checkUnchanged() error {
	now, err := s.file.Stat()
	switch {
	case err != nil:
		return err
	case now.Size() != s.opened.Size() || !now.ModTime().Equal(s.opened.ModTime()):
		return s.changed()
	}
	return io.EOF
}

func (s *Source) changed() error {
	return refusedFile(s.file.Name(), "changed while it was read").
		Suggest("Send it when it is complete, or copy it and send the copy.")
}

func refusedFile(path, why string) *parley.Error {
	return parley.Errorf(parley.FileRefused, "%s %s", show(path), why).With("source_path", show(path))
}

// show returns a path in a form that is safe in an error.
func show(path string) string { return plain.Truncate(plain.CleanLine(path), 300) }

func privateError(path string) error {
	return refusedFile(path, "is parley's own").
		Suggest("To send on a file that you received, put its file_id into the attachments of send_message.")
}

func (b Bounds) outside(path string) error {
	return refusedFile(path, "is not in your working directory or the workspace").With("allowed", b.Roots).
		Suggest("Copy it into %s.", strings.Join(b.Roots, " or "))
}

// missing returns the error for a path that cannot be resolved. For a path outside of the
// bounds it reveals nothing, not even whether the file exists.
func (b Bounds) missing(path string, err error) error {
	dir, resolveErr := filepath.EvalSymlinks(filepath.Dir(path))
	if resolveErr != nil {
		dir = filepath.Dir(filepath.Clean(path))
	}

	real := filepath.Join(dir, filepath.Base(path))
	if _, _, ok := b.within(real); !ok {
		return b.outside(path)
	}
	if inStateDir(real) {
		return privateError(path)
	}
	if info, statErr := os.Lstat(real); statErr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return refusedFile(path, "is a link to nothing, or to itself").Suggest("Name the file itself.")
	}

	return b.unreadable(path, err)
}

func (b Bounds) unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return parley.Errorf(parley.FileNotFound, "there is no file %s", show(path)).With("source_path", show(path)).
			Suggest("Look up its name with ls.")
	case errors.Is(err, fs.ErrPermission):
		return refusedFile(path, "cannot be read by the user who runs the daemon").
			Suggest("Make it readable: chmod u+r.")
	case errors.Is(err, unix.ELOOP):
		return refusedFile(path, "was replaced by a link while it was opened").
			Suggest("Send it when nothing changes it.")
	}

	var reason error = err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err
	}

	return refusedFile(path, fmt.Sprintf("cannot be read: %v", reason)).Suggest("Send another file.")
}
