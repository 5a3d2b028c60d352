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

// Foreground is the command line of the program that has the terminal of the
// process panePID: the leader of the terminal's foreground process group. It fails
// when there is none, or when its leader is gone. Here words with spaces come apart.
func Foreground(panePID int) ([]string, error) {
	leader, err := ps("tpgid=", panePID)
	if err != nil {
		return nil, err
	}
	pid := number(leader)
	if pid <= 0 {
		return nil, fmt.Errorf("process %d has no terminal in the foreground", panePID)
	}
	command, err := ps("command=", pid)
	if err != nil {
		return nil, err
	}
	return strings.Fields(command), nil
}
