package tmux

import "errors"

// errNoProcess is what the process functions return for one that is not there.
var errNoProcess = errors.New("no such process")

// Descendants lists the children of processes, their children, and so on, parents
// first, without the given ones unless they descend from one another. Processes come
// and go while it looks: end those found and ask again. A process that is gone has
// none.
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

// Foreground is the command line of the program that has the terminal of the
// process panePID: the leader of the terminal's foreground process group. It fails
// when there is none, or when its leader is gone.
func Foreground(panePID int) ([]string, error) {
	_, argv, err := foreground(panePID)
	return argv, err
}

// ForegroundProcess is Foreground, and which process that is.
func ForegroundProcess(panePID int) (pid int, argv []string, err error) { return foreground(panePID) }

// Ancestors lists the parent of a process, its parent, and so on. A process that is
// gone has none.
func Ancestors(pid int) ([]int, error) {
	parents, err := parents()
	if err != nil {
		return nil, err
	}

	var line []int
	for {
		parent, ok := parents[pid]
		if !ok || parent <= 0 || parent == pid {
			return line, nil
		}
		line = append(line, parent)
		pid = parent
	}
}

// Alive reports whether a process runs; one that has ended and only waits for its
// parent does not.
func Alive(pid int) bool { return alive(pid) }
