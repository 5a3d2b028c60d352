package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exec replaces this process by bwrap with these arguments, which starts a program. They go by a file: all users of the
// machine can read a command line, and what runs inside its own. It returns only on failure, and then always an error.
func Exec(arguments []string, program string, argv, env []string) error {
	bwrap, err := find()
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("sandbox", 0)
	if err != nil {
		return fmt.Errorf("keep the sandbox's arguments: %w", err)
	}
	f := os.NewFile(uintptr(fd), "sandbox")
	if _, err := f.WriteString(strings.Join(arguments, "\x00") + "\x00"); err != nil {
		return fmt.Errorf("keep the sandbox's arguments: %w", err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return fmt.Errorf("keep the sandbox's arguments: %w", err)
	}

	words := append([]string{"bwrap", "--args", strconv.Itoa(fd), "--", program}, argv[1:]...)
	return fmt.Errorf("start the sandbox: %w", syscall.Exec(bwrap, words, env))
}
