// Package plainfile reads files where others may have put something else under the name: a
// repository that was cloned, or an agent. A pipe does not hold the reader up, and a device does
// not fill its memory.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular says that something stands there that is neither a regular file nor a directory.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file, also through a link. The errors are those of os.Open, EISDIR for a
// directory, and ErrNotRegular.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}

	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}

	return f, info, nil
}

// Read reads a regular file of at most limit bytes. A longer one is an error.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	if info.Size() > limit {
		return nil, fmt.Errorf("%d bytes are too many, at most %d are read", info.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit)) // it may grow meanwhile
}
