//go:build !linux

package tmux

import (
	"path/filepath"
	"strings"
)

// listener returns the tmux server of this user that listens on a socket, 0 if there is none: the process that was
// started with its path and has left its parent. A client, which may have the same command line, has one.
func listener(path string) int {
	all, err := parents()
	if err != nil {
		return 0
	}
	for pid, parent := range all {
		if parent != 1 {
			continue
		}
		argv, err := commandLine(pid)
		line := strings.Join(argv, " ") + " " // a path may have spaces
		if err == nil && len(argv) > 0 && filepath.Base(argv[0]) == "tmux" &&
			strings.Contains(line, " -S "+path+" ") && strings.Contains(line, " new-session ") {
			return pid
		}
	}
	return 0
}
