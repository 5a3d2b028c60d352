package tmux

import (
	"os"
	"strconv"
	"strings"
)

// readerOf implements ReaderOf.
func readerOf(panePID int, all groups) (Reader, error) {
	group, err := foregroundGroup(panePID)
	if err != nil {
		return Reader{}, err
	}

	terminal, found, born := terminalName(number(group.terminal)), Reader{}, 0
	for _, pid := range all[group.leader] {
		if !group.has(pid) {
			continue
		}
		waits, has := reads(pid, terminal)
		if !has || waits < found.Waits {
			continue
		}
		at := number(Birth(pid))
		if found.PID == 0 || waits > found.Waits || (at >= born) == (waits != ReadsNot) {
			found, born = Reader{PID: pid, Waits: waits}, at
		}
	}

	if found.PID == 0 {
		return Reader{}, nil
	}
	found.Program = programAt(found.PID)
	return found, nil
}

// programAt returns what the system shows of the program that a process runs.
func programAt(pid int) Program {
	dir := "/proc/" + strconv.Itoa(pid)
	file, _ := os.Readlink(dir + "/exe")
	at, _ := os.Readlink(dir + "/cwd")
	return Program{
		File: strings.TrimSuffix(file, " (deleted)"), Args: zeroTerminated(dir + "/cmdline"), Dir: at,
	}
}
