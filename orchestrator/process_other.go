//go:build !linux

package orchestrator

import (
	"os/exec"
	"strconv"
	"strings"
)

// birth tells a process from a later one of the same pid: when it was started.
func birth(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// marked needs other processes' environments, which only Linux shows.
func marked(string) []int { return nil }
