//go:build !linux

package tmux

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ps returns columns of one process, or of all if pid is 0.
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

func alive(pid int) bool {
	state, err := ps("stat=", pid)
	return err == nil && state != "" && state[0] != 'Z'
}

// stillAlive implements StillAlive.
func stillAlive(pid int, born string) bool {
	out, err := ps("stat=,lstart=", pid)
	f := strings.Fields(out)
	return err == nil && len(f) > 1 && f[0][0] != 'Z' && strings.Join(f[1:], " ") == born
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

// member is a process of a process group.
type member struct{ pid, parent int }

// groups are the machine's processes by their process groups.
type groups map[int][]member

func readGroups() (groups, error) {
	out, err := ps("pid=,ppid=,pgid=", 0)
	if err != nil {
		return nil, err
	}

	found := groups{}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 3 {
			group := number(f[2])
			found[group] = append(found[group], member{number(f[0]), number(f[1])})
		}
	}

	return found, nil
}

// memory returns how many bytes of memory a process has, with the files that it shares.
func memory(pid int) (int64, error) {
	out, err := ps("rss=", pid)
	return int64(number(out)) * 1024, err
}

// foreground returns the foreground process group of a process's terminal, and its leader's
// command line. ps does not mark where words end, so a word with spaces is split.
func foreground(pid int) (group processGroup, argv []string, err error) {
	id, err := ps("tpgid=", pid)
	if err != nil {
		return processGroup{}, nil, err
	}
	if group.leader = number(id); group.leader <= 0 {
		return processGroup{}, nil, fmt.Errorf("process %d has no terminal in the foreground", pid)
	}
	argv, err = commandLine(group.leader)
	return group, argv, err
}

// commandLine implements CommandLine.
func commandLine(pid int) ([]string, error) {
	command, err := ps("command=", pid)
	return strings.Fields(command), err
}

// openFiles implements OpenFiles. ps does not show files.
func openFiles(int) []string { return nil }

// processes lists all processes with one call of ps, and returns a function that finds one of them
// and reads the rest of it.
func processes() (func(pid int) (Process, bool), error) {
	out, err := ps("pid=,ppid=,tty=,lstart=", 0)
	if err != nil {
		return nil, err
	}

	found := map[int]Process{}
	for line := range strings.Lines(out) {
		if p, ok := parseProcess(strings.Fields(line)); ok {
			found[p.PID] = p
		}
	}

	return func(pid int) (Process, bool) {
		p, ok := found[pid]
		if ok {
			p.Session, _ = unix.Getsid(pid) // 0 if it has just ended
			p.Args, p.Env = arguments(pid)
		}
		return p, ok
	}, nil
}

// parseProcess reads the columns of ps: pid, parent, terminal, and since when it runs.
func parseProcess(columns []string) (Process, bool) {
	const fixed = 3
	if len(columns) < fixed {
		return Process{}, false
	}

	p := Process{PID: number(columns[0]), Parent: number(columns[1]), Born: strings.Join(columns[fixed:], " ")}
	if tty := columns[2]; !strings.HasPrefix(tty, "?") && tty != "-" {
		p.TTY = "/dev/" + tty
	}

	return p, true
}

// Birth tells a process from a later one of the same pid: when it was started.
func Birth(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// Marked needs other processes' environments, which only Linux shows.
func Marked(string) []int { return nil }

// StartedAt returns when a process was started. It is not ok: ps tells whole seconds.
func StartedAt(int) (at time.Time, ok bool) { return time.Time{}, false }

// WorkingIn returns no process: there is no way to ask for a working directory without a call into C.
func WorkingIn(string) []int { return nil }

// Listeners returns no process: only Linux shows other processes' sockets.
func Listeners(int) []int { return nil }
