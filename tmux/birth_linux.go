package tmux

import (
	"bytes"
	"os"
	"strconv"
)

// bornField is the field of stat with the time at which the process was started.
const bornField = 19

// Birth tells a process from a later one of the same pid: the time it was
// started, in clock ticks since the system was (field 22 of /proc/PID/stat).
func Birth(pid int) string {
	f, err := stat(pid)
	if err != nil || len(f) <= bornField {
		return ""
	}
	return f[bornField]
}

// Marked lists the processes that have this NAME=value in their environment.
func Marked(variable string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}

	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}

		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00")) {
			pids = append(pids, pid)
		}
	}

	return pids
}
