package tmux

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// readerOf implements ReaderOf.
func readerOf(panePID int) (Reader, error) {
	group, _, err := foreground(panePID)
	if err != nil {
		return Reader{}, err
	}
	all, err := readGroups()
	if err != nil {
		return Reader{}, err
	}

	found, sure, born := 0, false, 0
	for _, pid := range all[group.leader] {
		if !group.has(pid) {
			continue
		}
		r := reads(pid, terminalName(number(group.terminal)))
		if r == ReadsNot || sure && r != ReadsInput {
			continue
		}
		at := number(Birth(pid))
		if r == ReadsInput && !sure || at >= born {
			found, sure, born = pid, r == ReadsInput, at
		}
	}

	if found == 0 {
		return Reader{Holders: holders(group, all[group.leader])}, nil
	}
	return Reader{ID: programID(found), PID: found, Only: sure && waitsOnly(found)}, nil
}

// holders returns those of the processes that have the group's terminal open.
func holders(group processGroup, pids []int) (ids []string) {
	for _, pid := range pids {
		f, ok := filesOf(pid, terminalName(number(group.terminal)))
		if ok && group.has(pid) && len(f.terminal) > 0 {
			ids = append(ids, programID(pid))
		}
	}
	return ids
}

// programID tells a process and its program from others.
func programID(pid int) string {
	dir := "/proc/" + strconv.Itoa(pid)
	program, _ := os.Readlink(dir + "/exe")
	words := append([]string{strconv.Itoa(pid), Birth(pid), program}, zeroTerminated(dir+"/cmdline")...)
	return strings.Join(words, "\x00")
}

// waitsOnly reports whether a process that waits for its terminal waits for nothing else, as far as the system shows
// that to this user.
func waitsOnly(pid int) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	threads, err := os.ReadDir(proc + "/task")
	if err != nil {
		return false
	}
	entries, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return false
	}

	for _, e := range entries {
		target, _ := os.Readlink(proc + "/fd/" + e.Name())
		if strings.HasPrefix(target, "socket:") || target == "anon_inode:[timerfd]" {
			return false
		}
	}
	for _, e := range threads {
		thread := proc + "/task/" + e.Name()
		children, err := readProc(thread + "/children")
		if err != nil || len(children) > 0 || !waitsForEver(thread) {
			return false
		}
	}

	return true
}

// waitsForEver reports whether a thread waits without an end for input, or for another thread.
func waitsForEver(thread string) bool {
	raw, err := readProc(thread + "/wchan")
	if err != nil {
		return false
	}
	switch in := string(raw); {
	case in == "wait_woken", strings.Contains(in, "tty_read"), strings.Contains(in, "futex"):
		return true
	case !strings.Contains(in, "poll") && !strings.Contains(in, "select"):
		return false
	}

	raw, err = readProc(thread + "/syscall")
	words := strings.Fields(string(raw))
	if err != nil || len(words) < 7 { // the call and its six arguments
		return false
	}
	call, err := strconv.Atoi(words[0])
	limit, known := limits[call]
	if err != nil || !known {
		return false
	}
	value, err := strconv.ParseUint(strings.TrimPrefix(words[1+limit.argument], "0x"), 16, 64)
	if limit.pointer {
		return err == nil && value == 0
	}
	return err == nil && int32(value) < 0
}

// limit is where a system call has the time after which it ends by itself: milliseconds, which are negative for no
// end, or a pointer, which is nil then.
type limit struct {
	argument int
	pointer  bool
}

var limits = withOlder(map[int]limit{
	unix.SYS_EPOLL_PWAIT:  {3, false},
	unix.SYS_EPOLL_PWAIT2: {3, true},
	unix.SYS_PPOLL:        {2, true},
	unix.SYS_PSELECT6:     {4, true},
})
