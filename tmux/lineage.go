package tmux

// Process describes one process.
type Process struct {
	PID, Parent int
	Session     int      // the process that leads its session
	TTY         string   // its controlling terminal, such as /dev/pts/3; "" if it has none
	Born        string   // as Birth returns it
	Args        []string // its command line; empty if the system does not show it
	Env         []string // its environment when it was started; empty if the system does not show it
}

// Lineage is a process with all that it can be traced back to.
type Lineage struct {
	// Line is the process, its parent, that one's parent, and so on.
	Line []Process
	// Leaders are the leaders of their sessions that are not in Line, and the ancestors of those.
	// A process whose parent has ended is still in its session.
	Leaders []Process
}

// LineageOf traces a process back. A process that has gone has no lineage.
func LineageOf(pid int) (Lineage, error) {
	read, err := processes()
	if err != nil {
		return Lineage{}, err
	}

	return trace(pid, read), nil
}

// maxLineage bounds a lineage. Processes that end and start meanwhile could make a circle.
const maxLineage = 256

// trace follows parents, and then the leaders of sessions. read reports false for a process that has
// gone.
func trace(pid int, read func(pid int) (Process, bool)) Lineage {
	var l Lineage
	seen := map[int]bool{}
	follow := func(pid int, to *[]Process) {
		for pid > 0 && !seen[pid] && len(seen) < maxLineage {
			seen[pid] = true
			p, ok := read(pid)
			if !ok {
				return
			}
			*to = append(*to, p)
			pid = p.Parent
		}
	}

	follow(pid, &l.Line)
	for _, p := range l.Line {
		follow(p.Session, &l.Leaders)
	}
	for i := 0; i < len(l.Leaders); i++ {
		follow(l.Leaders[i].Session, &l.Leaders)
	}

	return l
}
