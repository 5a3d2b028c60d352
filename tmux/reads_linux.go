package tmux

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openFDs are the open files of a process that it can wait for, by their numbers.
type openFDs struct {
	terminal map[string]bool
	epolls   []string
	sockets  bool
	others   bool // the other end of a terminal, pipes, timers and the like
}

// filesOf returns what a process has open. It is not ok if the system does not show it.
func filesOf(pid int, terminal string) (f openFDs, ok bool) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return openFDs{}, false
	}

	f.terminal = map[string]bool{}
	for _, e := range entries {
		target, err := os.Readlink(dir + e.Name())
		switch {
		case err != nil:
		case target == terminal, target == "/dev/tty":
			f.terminal[e.Name()] = true
		case target == "anon_inode:[eventpoll]":
			f.epolls = append(f.epolls, e.Name())
		case strings.HasPrefix(target, "socket:"):
			f.sockets = true
		case strings.HasSuffix(target, "/ptmx"):
			f.others = true
		case strings.HasPrefix(target, "pipe:"), strings.HasPrefix(target, "anon_inode:"):
			f.others = true
		}
	}

	return f, true
}

// reads returns whether a thread of a process waits for the terminal, and whether the process has that open.
func reads(pid int, terminal string) (waits Reads, has bool) {
	f, ok := filesOf(pid, terminal)
	if !ok {
		return ReadsUnknown, true
	}
	if len(f.terminal) == 0 {
		return ReadsNot, false
	}

	proc := "/proc/" + strconv.Itoa(pid)
	threads, err := os.ReadDir(proc + "/task")
	if err != nil {
		return ReadsNot, false // it has just ended
	}
	for _, thread := range threads {
		waits = max(waits, f.waits(proc, proc+"/task/"+thread.Name()))
	}
	return waits, true
}

// waits returns whether a thread waits for the terminal, by the function of the kernel in which it sleeps. The
// arguments of its call are shown to few; without them, what else the process could wait for decides.
func (f *openFDs) waits(proc, thread string) Reads {
	raw, err := readProc(thread + "/wchan")
	if err != nil {
		return ReadsNot
	}

	call, argument := callOf(thread)
	switch in := string(raw); {
	case in == "wait_woken", strings.Contains(in, "tty_read"): // of a terminal, or a socket
		if call == unix.SYS_READ {
			return one(f.terminal[argument])
		}
		return either(!f.sockets)
	case strings.Contains(in, "epoll"), strings.Contains(in, "ep_poll"):
		return one(f.polled(proc))
	case strings.Contains(in, "poll"), strings.Contains(in, "select"):
		return either(!f.sockets && !f.others && len(f.epolls) == 0)
	case strings.HasPrefix(in, "io_cqring"):
		return ReadsUnknown
	case in == "0" || in == "":
		return either(false) // it runs, or the system does not show it
	}

	return ReadsNot
}

func one(so bool) Reads {
	if so {
		return ReadsInput
	}
	return ReadsNot
}

func either(so bool) Reads {
	if so {
		return ReadsInput
	}
	return ReadsUnknown
}

// polled reports whether the terminal is among what an epoll of the process watches.
func (f *openFDs) polled(proc string) bool {
	for _, fd := range f.epolls {
		raw, err := readProc(proc + "/fdinfo/" + fd)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			words := strings.Fields(line)
			if len(words) > 1 && words[0] == "tfd:" && f.terminal[words[1]] {
				return true
			}
		}
	}
	return false
}

// callOf returns the system call in which a thread waits, and its first argument in decimal. The call is -1 if
// the system does not show it.
func callOf(thread string) (call int, argument string) {
	raw, err := readProc(thread + "/syscall")
	if err != nil {
		return -1, ""
	}
	words := strings.Fields(string(raw))
	if len(words) < 2 {
		return -1, ""
	}
	call, err = strconv.Atoi(words[0])
	if err != nil {
		return -1, ""
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(words[1], "0x"), 16, 64)
	if err != nil {
		return -1, ""
	}

	return call, strconv.FormatUint(n, 10)
}

func suspended(panePID int) []string {
	group, _, err := foreground(panePID)
	if err != nil {
		return nil
	}
	all, err := readGroups()
	if err != nil {
		return nil
	}

	for other, members := range all {
		if other == group.leader {
			continue
		}
		for _, pid := range members {
			f, err := stat(pid)
			if err != nil || f[0] != "T" || f[4] != group.terminal {
				continue
			}
			if argv, err := commandLine(pid); err == nil {
				return argv
			}
		}
	}

	return nil
}

// Unread returns how many bytes typed into the terminal its program has not read yet;
// the system counts at most 4095. A call takes 1.5-1.9 us. An error means that the
// terminal has gone, or ErrUnsupported outside Linux.
func Unread(tty string) (int, error) {
	var n int
	err := withTTY(tty, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ)
		return err
	})
	return n, err
}

func localFlags(fd int) (uint64, error) {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return 0, err
	}
	return uint64(t.Lflag), nil
}
