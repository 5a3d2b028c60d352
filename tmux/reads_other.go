//go:build !linux

package tmux

import (
	"fmt"
	"strings"
)

// readsTerminal fails: ps does not tell what a program waits for.
func readsTerminal(int) (Reads, error) {
	return ReadsUnknown, fmt.Errorf("what reads the terminal: %w", ErrUnsupported)
}

// readerOf fails for the same reason.
func readerOf(int) (Reader, error) {
	return Reader{}, fmt.Errorf("what reads the terminal: %w", ErrUnsupported)
}

// suspended implements Suspended.
func suspended(int) []string { return nil }

// inner returns the command lines of the programs that have a terminal inside one of the group's programs, such
// as the shell in script.
func (g groups) inner(of processGroup) (found [][]string) {
	own, err := ps("tty=", of.leader)
	if err != nil {
		return nil
	}
	children, err := Descendants(of.leader)
	if err != nil {
		return nil
	}

	seen := map[string]bool{own: true}
	for _, child := range children {
		columns, err := ps("tty=,tpgid=", child)
		f := strings.Fields(columns)
		if err != nil || len(f) != 2 || seen[f[0]] || strings.HasPrefix(f[0], "?") || number(f[1]) <= 0 {
			continue
		}
		seen[f[0]] = true
		if argv, err := commandLine(number(f[1])); err == nil {
			found = append(found, argv)
		}
	}

	return found
}
