package daemon

import (
	"errors"
	"io"
	"os"
	"sync"
)

// maxLog is the largest log of a daemon in the background, in bytes. One older log of that
// size is kept.
const maxLog = 8 << 20

// logFile writes the log of a daemon in the background. When the file is full, it moves the
// content to the file's name with .old, and empties the file: the daemon's standard error
// writes there too, and must go on. When somebody removes the file, the next line makes it
// again.
type logFile struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File // nil before the first line
}

// Write implements io.Writer. A log that cannot be turned over goes on growing.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	there, err := os.Stat(l.path)
	if l.file == nil || err != nil || !l.isOpen(there) {
		if err := l.open(); err != nil {
			return 0, err
		}
	} else if there.Size() > 0 && there.Size()+int64(len(line)) > l.max {
		_ = l.turn()
	}

	return l.file.Write(line)
}

func (l *logFile) isOpen(there os.FileInfo) bool {
	open, err := l.file.Stat()
	return err == nil && os.SameFile(open, there)
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		_ = l.file.Close() // it has no name any more
	}
	l.file = f
	return nil
}

// turn copies the log to its older name, and empties it.
func (l *logFile) turn() error {
	part := l.path + ".old.part"
	old, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(old, io.NewSectionReader(l.file, 0, 2*l.max)) // in case it has grown beyond
	if err = errors.Join(err, old.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, l.path+".old"); err != nil {
		return err
	}

	return l.file.Truncate(0)
}

// Close closes the file. The next line opens it again.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}
