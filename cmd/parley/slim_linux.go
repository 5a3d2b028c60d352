package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dropProgram drops the pages of the program's text and constants from the process. A
// mapping that the process has written to stays: its pages are not those of the file.
func dropProgram() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()

	for _, m := range untouched(bufio.NewScanner(f), program) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ start, end uintptr }

// untouched returns the read-only mappings of a file that hold nothing but its pages.
func untouched(smaps *bufio.Scanner, file string) []mapping {
	var found []mapping
	var current mapping
	ours := false
	for smaps.Scan() {
		words := strings.Fields(smaps.Text())
		switch {
		case len(words) >= 6 && strings.Contains(words[0], "-") && !strings.HasSuffix(words[0], ":"):
			ours = words[len(words)-1] == file && (words[1] == "r-xp" || words[1] == "r--p")
			start, end, _ := strings.Cut(words[0], "-")
			current = mapping{address(start), address(end)}
		case len(words) == 3 && words[0] == "Anonymous:" && words[1] == "0" && ours:
			found = append(found, current)
		}
	}
	return found
}

func address(hex string) uintptr {
	n, _ := strconv.ParseUint(hex, 16, 64)
	return uintptr(n)
}
