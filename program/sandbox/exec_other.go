//go:build !linux

package sandbox

import (
	"fmt"
	"slices"
	"syscall"
)

// Exec replaces this process by seatbelt with these arguments, which starts a program. It returns only on failure, and
// then always an error: there is no sandbox on other systems than Linux and macOS.
func Exec(arguments []string, program string, argv, env []string) error {
	words := slices.Concat([]string{"sandbox-exec"}, arguments, []string{program}, argv[1:])
	return fmt.Errorf("start the sandbox: %w", syscall.Exec(seatbelt, words, env))
}
