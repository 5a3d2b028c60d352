package tmux

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
