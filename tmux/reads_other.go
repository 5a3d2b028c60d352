//go:build !linux

package tmux

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// readerOf implements ReaderOf. ps does not tell which process waits for its terminal: it is taken for the youngest of
// those in the foreground that have no child there, and nobody knows whether it reads.
func readerOf(panePID int, all groups) (Reader, error) {
	group, _, err := foreground(panePID)
	if err != nil {
		return Reader{}, err
	}

	above := map[int]bool{}
	for _, member := range all[group.leader] {
		above[member.parent] = true
	}
	var found member
	for _, m := range all[group.leader] {
		if !above[m.pid] && m.pid >= found.pid {
			found = m
		}
	}
	if found.pid == 0 {
		return Reader{}, nil
	}
	return Reader{Program: programAt(found.pid), PID: found.pid, Waits: ReadsUnknown}, nil
}

// programAt returns what the system shows of the program that a process runs. The first word may have no path.
func programAt(pid int) Program {
	file, _ := ps("comm=", pid)
	argv, err := commandLine(pid)
	if err != nil {
		return Program{}
	}
	return Program{File: file, Args: argv}
}

func suspended(int) []string { return nil }

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
