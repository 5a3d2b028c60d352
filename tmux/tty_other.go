//go:build !linux

package tmux

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Unread fails with ErrUnsupported: only Linux answers FIONREAD on a foreign terminal
// truthfully.
func Unread(tty string) (int, error) {
	return 0, fmt.Errorf("bytes unread by the program: %w", ErrUnsupported)
}

func localFlags(fd int) (uint64, error) {
	t, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	if err != nil {
		return 0, err
	}
	return uint64(t.Lflag), nil
}
