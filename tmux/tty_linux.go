package tmux

import "golang.org/x/sys/unix"

// Unread is how many bytes typed into the terminal its program has not yet read (at
// most 4095 are told). 1.5-1.9 us a call. An error means the terminal is gone, or
// outside Linux ErrUnsupported.
func Unread(tty string) (int, error) {
	var n int
	err := withTTY(tty, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	return n, err
}

func canonical(fd int) (bool, error) {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return false, err
	}
	return t.Lflag&unix.ICANON != 0, nil
}
