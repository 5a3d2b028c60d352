package tmux

import "errors"

// errNoProcess is returned by the functions below for a process that does not exist.
var errNoProcess = errors.New("no such process")

// Alive reports whether a process runs. A process that has ended and waits for its
// parent to collect it does not.
func Alive(pid int) bool { return alive(pid) }

// StillAlive reports whether a process runs that was born then, by Birth. A pid may be reused.
func StillAlive(pid int, born string) bool { return stillAlive(pid, born) }

// Descendants lists the children of the given processes, their children, and so on,
// parents first. A given process is listed only if it descends from another one.
// Processes come and go meanwhile, so end those found and ask again. A process that
// has gone has no descendants.
func Descendants(pids ...int) ([]int, error) {
	parents, err := parents()
	if err != nil {
		return nil, err
	}

	children := make(map[int][]int, len(parents))
	for child, parent := range parents {
		children[parent] = append(children[parent], child)
	}

	var found []int
	for _, pid := range pids {
		found = append(found, children[pid]...)
	}

	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}

	return found, nil
}

// CommandLine returns the words with which a process was started, or that it shows in
// their place.
func CommandLine(pid int) ([]string, error) { return commandLine(pid) }

// Foreground returns the command line of the program that has the terminal of the
// process panePID: the leader of the terminal's foreground process group. It fails
// if there is no such group, or if its leader has gone.
func Foreground(panePID int) ([]string, error) {
	_, argv, err := foreground(panePID)
	return argv, err
}

// ForegroundProcess is Foreground, and also returns the leader's process id.
func ForegroundProcess(panePID int) (pid int, argv []string, err error) {
	group, argv, err := foreground(panePID)
	return group.leader, argv, err
}

// processGroup is a process group of a terminal, named by its leader.
type processGroup struct {
	leader   int
	terminal string // as the system numbers it, "" where it does not
}

// OpenFiles returns the paths of the regular files that a process has open to write, as far as the system
// shows them. What a program only reads may be another's: Codex reads all earlier sessions as it starts.
func OpenFiles(pid int) []string { return openFiles(pid) }
