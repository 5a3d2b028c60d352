package tmux

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Canonical reports whether the terminal still edits lines itself (ICANON). Then no
// full-screen program has taken it over yet, and a line over 4,095 bytes is cut.
func Canonical(tty string) (bool, error) {
	var on bool
	err := withTTY(tty, func(fd int) error {
		flags, err := localFlags(fd)
		on = flags&unix.ICANON != 0
		return err
	})
	return on, err
}

// Echo reports whether the terminal shows what is typed (ECHO). A program that reads
// lines turns that off to ask for a secret; one that reads bytes draws the text itself.
func Echo(tty string) (bool, error) {
	var on bool
	err := withTTY(tty, func(fd int) error {
		flags, err := localFlags(fd)
		on = flags&unix.ECHO != 0
		return err
	})
	return on, err
}

func withTTY(tty string, use func(fd int) error) error {
	fd, err := unix.Open(tty, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: tty, Err: err}
	}
	defer unix.Close(fd)
	if err := use(fd); err != nil {
		return fmt.Errorf("ask terminal %s: %w", tty, err)
	}
	return nil
}
