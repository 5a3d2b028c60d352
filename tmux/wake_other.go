//go:build !linux

package tmux

import (
	"path/filepath"
	"slices"
)

// listener returns the tmux server of this user that listens on a socket, 0 if there is none: the one that was
// started with its path. Clients ignore the signal that it is found for.
func listener(path string) int {
	all, err := parents()
	if err != nil {
		return 0
	}
	for pid := range all {
		argv, err := commandLine(pid)
		i := slices.Index(argv, "-S")
		if err == nil && i > 0 && len(argv) > i+1 && argv[i+1] == path && filepath.Base(argv[0]) == "tmux" &&
			slices.Contains(argv, "new-session") {
			return pid
		}
	}
	return 0
}
