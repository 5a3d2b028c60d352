package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

var errNotRegular = errors.New("is no regular file")

// readPlain returns the content of a regular file that has at most limit bytes. In a repository of others
// anything can stand under a name: a pipe must not hold us up, nor a device fill the memory.
func readPlain(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, syscall.EISDIR
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > limit:
		return nil, fmt.Errorf("has %d bytes, and at most %d are read", info.Size(), limit)
	}

	return io.ReadAll(io.LimitReader(f, limit))
}
