package tmux

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// readProc reads a file of /proc. It asks the system for no more than that: os.ReadFile asks
// three times as much, and couriers read such files for each message.
func readProc(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)

	raw := make([]byte, 0, 1024)
	for {
		raw = slices.Grow(raw, 512)
		free := raw[len(raw):cap(raw)]
		n, err := unix.Read(fd, free)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}

		raw = raw[:len(raw)+n]
		if n < len(free) {
			return raw, nil
		}
	}
}

// stat reads the fields of /proc/PID/stat from the third on, up to that of its birth: state, parent,
// process group, session, terminal, the terminal's foreground group, and more.
func stat(pid int) ([]string, error) {
	raw, err := readProc("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoProcess, err)
	}
	// The second field is a name in parentheses that may contain anything.
	rest := strings.TrimSpace(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	fields := strings.SplitN(rest, " ", bornField+2)
	if len(fields) < 6 {
		return nil, fmt.Errorf("/proc/%d/stat: %q", pid, raw)
	}
	return fields[:min(len(fields), bornField+1)], nil
}

func alive(pid int) bool {
	f, err := stat(pid)
	return err == nil && runs(f)
}

// stillAlive implements StillAlive.
func stillAlive(pid int, born string) bool {
	f, err := stat(pid)
	return err == nil && runs(f) && len(f) > bornField && f[bornField] == born
}

// runs reports whether a process with these fields of stat runs.
func runs(f []string) bool { return f[0] != "Z" && f[0] != "X" }

// parents maps every process to its parent.
func parents() (map[int]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}

	found := make(map[int]int, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f, err := stat(pid); err == nil {
			found[pid] = number(f[1])
		}
	}

	return found, nil
}

// memory returns how many bytes of memory a process has that it shares with no file,
// such as a program's text.
func memory(pid int) (int64, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoProcess, err)
	}
	fields := strings.Fields(string(raw)) // size, resident, shared, in pages
	if len(fields) < 3 {
		return 0, fmt.Errorf("/proc/%d/statm: %q", pid, raw)
	}
	return int64(number(fields[1])-number(fields[2])) * int64(os.Getpagesize()), nil
}

// foreground returns the foreground process group of a process's terminal, and its leader's
// command line.
func foreground(pid int) (group processGroup, argv []string, err error) {
	if group, err = foregroundGroup(pid); err != nil {
		return processGroup{}, nil, err
	}

	argv, err = commandLine(group.leader)
	if err != nil {
		return processGroup{}, nil, fmt.Errorf("foreground leader: %w", err)
	}

	return group, argv, nil
}

// foregroundGroup returns the group that has the terminal of a process. Its leader may have ended.
func foregroundGroup(pid int) (processGroup, error) {
	f, err := stat(pid)
	if err != nil {
		return processGroup{}, err
	}
	group := processGroup{leader: number(f[5]), terminal: f[4]}
	if group.leader <= 0 {
		return processGroup{}, fmt.Errorf("process %d has no terminal in the foreground", pid)
	}
	return group, nil
}

// commandLine implements CommandLine.
func commandLine(pid int) ([]string, error) {
	raw, err := readProc("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(raw) == 0 {
		return nil, fmt.Errorf("process %d: %w", pid, errNoProcess)
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}

// groups are the processes of the machine by their process groups.
type groups map[int][]int

// readGroups asks for the group of each process, which takes a fraction of the time of reading
// what /proc has of it.
func readGroups() (groups, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()

	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}

	found := groups{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if group, err := unix.Getpgid(pid); err == nil {
			found[group] = append(found[group], pid)
		}
	}

	return found, nil
}

func (g processGroup) has(pid int) bool {
	f, err := stat(pid)
	return err == nil && number(f[2]) == g.leader && f[4] == g.terminal
}

// openFiles implements OpenFiles.
func openFiles(pid int) []string {
	proc := "/proc/" + strconv.Itoa(pid)
	entries, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return nil
	}

	var paths []string
	for _, e := range entries {
		path, err := os.Readlink(proc + "/fd/" + e.Name())
		if err == nil && filepath.IsAbs(path) && !strings.HasPrefix(path, "/dev/") &&
			isWritable(proc+"/fdinfo/"+e.Name()) {
			paths = append(paths, path)
		}
	}

	return paths
}

// isWritable reports whether an open file, by its fdinfo, was opened to write.
func isWritable(fdinfo string) bool {
	raw, err := readProc(fdinfo)
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), "flags:")
	flags, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	n, err := strconv.ParseUint(flags, 8, 64)

	return err == nil && n&unix.O_ACCMODE != unix.O_RDONLY
}

// processes returns a function that reads one process.
func processes() (func(pid int) (Process, bool), error) { return process, nil }

func process(pid int) (Process, bool) {
	f, err := stat(pid)
	if err != nil {
		return Process{}, false
	}

	p := Process{PID: pid, Parent: number(f[1]), Session: number(f[3]), TTY: terminalName(number(f[4]))}
	if len(f) > bornField {
		p.Born = f[bornField]
	}
	dir := "/proc/" + strconv.Itoa(pid)
	p.Args, p.Env = zeroTerminated(dir+"/cmdline"), zeroTerminated(dir+"/environ")

	return p, true
}

// zeroTerminated reads a file of zero-terminated entries. One that may not be read is empty.
func zeroTerminated(path string) []string {
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// terminalName returns the path of the terminal with a device number of /proc/PID/stat, "" for 0. A
// device that is no pseudo-terminal has a name that is not a path.
func terminalName(device int) string {
	const firstPTS, lastPTS = 136, 143
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	switch {
	case device == 0:
		return ""
	case major >= firstPTS && major <= lastPTS:
		return "/dev/pts/" + strconv.Itoa((major-firstPTS)<<8+minor)
	}
	return fmt.Sprintf("terminal %d:%d", major, minor)
}

// bornField is the field of stat with the time at which the process was started.
const bornField = 19

const tick = time.Second / 100 // what Linux counts in for programs

// Birth tells a process from a later one of the same pid: the time it was
// started, in clock ticks since the system was (field 22 of /proc/PID/stat).
func Birth(pid int) string {
	f, err := stat(pid)
	if err != nil || len(f) <= bornField {
		return ""
	}
	return f[bornField]
}

// StartedAt returns when a process was started at the latest, to a hundredth of a second.
// It is not ok if that is not known.
func StartedAt(pid int) (at time.Time, ok bool) {
	ticks, err := strconv.ParseInt(Birth(pid), 10, 64)
	if err != nil {
		return time.Time{}, false
	}

	// Both clocks are read at the same moment, unless something came between.
	var sinceBoot unix.Timespec
	for range 5 {
		now := time.Now()
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &sinceBoot) != nil {
			return time.Time{}, false
		}
		if time.Since(now) < time.Millisecond {
			age := time.Duration(sinceBoot.Nano()) - time.Duration(ticks+1)*tick
			return now.Add(-max(0, age)), age > -tick
		}
	}

	return time.Time{}, false
}

// Marked lists the processes that have this NAME=value in their environment.
func Marked(variable string) []int {
	return thatAre(func(dir string) bool {
		env, err := os.ReadFile(dir + "/environ")
		return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00"))
	})
}

// WorkingIn returns the processes whose working directory is dir, which has no links in it, or is below it.
func WorkingIn(dir string) []int {
	return thatAre(func(process string) bool {
		cwd, err := os.Readlink(process + "/cwd")
		return err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/"))
	})
}

// thatAre returns the processes of which something is so, by their directories below /proc.
func thatAre(is func(dir string) bool) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && is("/proc/"+e.Name()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Listeners returns the user's processes that listen on a TCP port, whatever its address.
func Listeners(port int) []int {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				inodes["socket:["+f[9]+"]"] = true
			}
		}
	}
	if len(inodes) == 0 {
		return nil
	}

	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		to, _ := os.Readlink(file)
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if inodes[to] && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
