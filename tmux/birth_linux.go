package tmux

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bornField is the field of stat with the time at which the process was started.
const bornField = 19

const tick = time.Second / 100 // what Linux counts in for programs

// Birth tells a process from a later one of the same pid: the time it was
// started, in clock ticks since the system was (field 22 of /proc/PID/stat).
func Birth(pid int) string {
	f, err := stat(pid)
	if err != nil || len(f) <= bornField {
		return ""
	}
	return f[bornField]
}

// StartedAt returns when a process was started at the latest, to a hundredth of a second.
// It is not ok if that is not known.
func StartedAt(pid int) (at time.Time, ok bool) {
	ticks, err := strconv.ParseInt(Birth(pid), 10, 64)
	if err != nil {
		return time.Time{}, false
	}

	// Both clocks are read at the same moment, unless something came between.
	var sinceBoot unix.Timespec
	for range 5 {
		now := time.Now()
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &sinceBoot) != nil {
			return time.Time{}, false
		}
		if time.Since(now) < time.Millisecond {
			age := time.Duration(sinceBoot.Nano()) - time.Duration(ticks+1)*tick
			return now.Add(-max(0, age)), age > -tick
		}
	}

	return time.Time{}, false
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

// WorkingIn returns the processes whose working directory is dir, which has no links in it, or is below it.
func WorkingIn(dir string) []int {
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
		cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd")
		if err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			pids = append(pids, pid)
		}
	}

	return pids
}

// Listeners returns the user's processes that listen on a TCP port, whatever its address.
func Listeners(port int) []int {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				inodes["socket:["+f[9]+"]"] = true
			}
		}
	}
	if len(inodes) == 0 {
		return nil
	}

	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		to, _ := os.Readlink(file)
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if inodes[to] && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
