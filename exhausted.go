package parley

import (
	"errors"
	"syscall"
)

// shortages are the system's words for what it has run out of, and what helps.
var shortages = []struct {
	errno        syscall.Errno
	words, helps string
}{
	{syscall.EMFILE, "as many files are open as one process may have",
		"Raise the limit where the daemon starts (ulimit -n 1024), or end what keeps many connections open."},
	{syscall.ENFILE, "the system has no file descriptors left",
		"End programs that keep many files open (lsof shows them)."},
	{syscall.EAGAIN, "no further process may be started", "End programs, or raise the limit (ulimit -u)."},
	{syscall.ENOMEM, "the system has no memory left", "End programs that take much memory."},
}

// Exhausted returns the error of starting a program or opening a file for which the system had no
// means left, nil for any other error. The call may succeed when it is repeated later.
func Exhausted(code Code, err error) *Error {
	for _, s := range shortages {
		if errors.Is(err, s.errno) {
			return Errorf(code, "%s: %w", s.words, err).Suggest("%s Then try again.", s.helps)
		}
	}
	return nil
}
