package tmux

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listener returns the tmux server of this user that listens on a socket, 0 if there is none. Linux knows the path
// of a socket also when its file was removed.
func listener(path string) int {
	table, _ := os.ReadFile("/proc/net/unix")
	sockets := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line) // number, count, protocol, flags, type, state, inode, path
		const listens = "00010000"
		if len(fields) == 8 && fields[3] == listens && fields[7] == path {
			sockets["socket:["+fields[6]+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return 0
	}

	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		dir := filepath.Dir(name)
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if comm, _ := os.ReadFile(name); !strings.HasPrefix(string(comm), "tmux") {
			continue
		}
		files, _ := filepath.Glob(dir + "/fd/*")
		for _, file := range files {
			if to, err := os.Readlink(file); err == nil && sockets[to] {
				return pid
			}
		}
	}
	return 0
}
