package tmux

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// stat reads the fields of /proc/PID/stat from the third on: state, parent, process
// group, session, terminal, the terminal's foreground group, and more.
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoProcess, err)
	}
	// The second field is a name in parentheses that may contain anything.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 6 {
		return nil, fmt.Errorf("/proc/%d/stat: %q", pid, raw)
	}
	return fields, nil
}

// alive implements Alive.
func alive(pid int) bool {
	f, err := stat(pid)
	return err == nil && f[0] != "Z" && f[0] != "X"
}

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

// foreground returns the leader of the foreground process group of a process's
// terminal, and the leader's command line.
func foreground(pid int) (leader int, argv []string, err error) {
	f, err := stat(pid)
	if err != nil {
		return 0, nil, err
	}
	if leader = number(f[5]); leader <= 0 {
		return 0, nil, fmt.Errorf("process %d has no terminal in the foreground", pid)
	}

	raw, err := os.ReadFile("/proc/" + f[5] + "/cmdline")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(raw) == 0 {
		return 0, nil, fmt.Errorf("foreground leader %d: %w", leader, errNoProcess)
	}
	if err != nil {
		return 0, nil, err
	}

	return leader, strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
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
