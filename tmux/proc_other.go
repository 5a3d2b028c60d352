//go:build !linux

package tmux

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// ps asks for columns of one process, or with pid 0 of all.
func ps(columns string, pid int) (string, error) {
	args := []string{"-axo", columns}
	if pid != 0 {
		args = []string{"-o", columns, "-p", strconv.Itoa(pid)}
	}
	out, err := exec.Command("ps", args...).Output()
	if err != nil {
		return "", fmt.Errorf("ps: %w: %w", errNoProcess, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// alive reports whether a process runs; one that has ended and waits for its parent
// does not.
func alive(pid int) bool {
	state, err := ps("stat=", pid)
	return err == nil && state != "" && state[0] != 'Z'
}

// parents maps every process to its parent.
func parents() (map[int]int, error) {
	out, err := ps("pid=,ppid=", 0)
	if err != nil {
		return nil, err
	}
	found := make(map[int]int)
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 2 {
			found[number(f[0])] = number(f[1])
		}
	}
	return found, nil
}

// foreground is the leader of the foreground process group of the terminal that the
// process of has, and its command line. Here words with spaces come apart.
func foreground(of int) (leader int, argv []string, err error) {
	group, err := ps("tpgid=", of)
	if err != nil {
		return 0, nil, err
	}
	if leader = number(group); leader <= 0 {
		return 0, nil, fmt.Errorf("process %d has no terminal in the foreground", of)
	}
	command, err := ps("command=", leader)
	if err != nil {
		return 0, nil, err
	}
	return leader, strings.Fields(command), nil
}
