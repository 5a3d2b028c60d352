package agents

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/plain"
	"parley/tui/kit"
)

// wrapped keeps the lines of a terminal as they were wrapped last: frames are drawn more often than it changes.
type wrapped struct {
	of    *parley.ReadTerminalResult
	w     int
	lines []string
}

func (x *wrapped) in(screen *parley.ReadTerminalResult, w int) []string {
	if x.of != screen || x.w != w {
		*x = wrapped{screen, w, WrapScreen(screen.Lines, w)}
	}
	return x.lines
}

// WrapScreen returns the lines of a foreign terminal in w columns, with nothing in them but text and colours. No text
// is cut: where a line is wider, gaps and rules in it become shorter, and what is then still wider goes on below.
func WrapScreen(lines []string, w int) []string {
	w = max(w, 2) // the widest character
	var out []string
	for _, line := range SafeScreen(lines, math.MaxInt) {
		if kit.Width(line) <= w {
			out = append(out, line)
			continue
		}
		for part := range strings.SplitSeq(ansi.Wrap(narrowed(line, w), w, ""), "\n") {
			if kit.Width(part) > w {
				part = ansi.HardwrapWc(part, w, true)
			}
			out = append(out, strings.Split(part, "\n")...)
		}
	}
	return SafeScreen(out, w) // a colour goes on in the next line
}

// gapsAndRules are the characters that mean the same however many there are.
const gapsAndRules = " ─━═╌┄┈-_=*▔▁"

// What is left of a gap or a rule, and how many of a line are shortened at most.
const (
	leastGap = 2
	mostGaps = 8
)

// narrowed shortens the longest gaps and rules of a line until it fits into w columns. The ends of a frame, and what
// a program draws at the right edge, stay in sight.
func narrowed(line string, w int) string {
	for range mostGaps {
		over := kit.Width(line) - w
		if over <= 0 {
			break
		}
		at, n, size := longestRun(line)
		if n <= leastGap {
			break
		}
		drop := min(over, n-leastGap) * size
		line = line[:at] + line[at+drop:]
	}
	return line
}

// longestRun finds the most gapsAndRules of one kind in a row: where they begin, how many they are, and the bytes of
// each.
func longestRun(line string) (at, n, size int) {
	var last rune
	from, count := 0, 0
	for i, r := range line {
		if r != last || !strings.ContainsRune(gapsAndRules, r) {
			last, from, count = r, i, 0
		}
		if count++; count > n && strings.ContainsRune(gapsAndRules, r) {
			at, n, size = from, count, len(string(r))
		}
	}
	return at, n, size
}

// squeezed drops the blank lines at a screen's end, and all but one of consecutive
// ones. A program that draws at the top, or has ended, is then seen where there is
// room for a part only.
func squeezed(lines []string) []string {
	var out []string
	blanks := 0
	for _, line := range lines {
		if blanks++; strings.TrimSpace(ansi.Strip(line)) != "" {
			if blanks > 1 && len(out) > 0 {
				out = append(out, "")
			}
			out, blanks = append(out, line), 0
		}
	}
	return out
}

// SafeScreen returns the lines of a foreign terminal with their text and colours,
// each at most w columns wide, and drops all other sequences. What reorders a text or is invisible
// in it shows its number. A colour continues
// over the end of a line, so each line repeats those that hold.
func SafeScreen(lines []string, w int) []string {
	out := make([]string, 0, len(lines))
	open := "" // the styles that still hold
	for _, line := range lines {
		var b strings.Builder
		b.WriteString(open)
		var state byte
		for rest := line; rest != ""; {
			seq, _, n, next := ansi.DecodeSequence(rest, state, nil)
			state, rest = next, rest[n:]
			switch {
			case isStyle(seq):
				if open += seq; strings.HasSuffix(seq, "[m") || strings.HasSuffix(seq, "[0m") || len(open) > maxStyle {
					open = ""
				}
				b.WriteString(seq)
			case seq == "\t":
				b.WriteString("    ")
			case seq[0] >= 0x20 && seq[0] != 0x7f:
				b.WriteString(kit.Visible(plain.Reveal(seq)))
			}
		}

		text := kit.Fit(b.String(), w)
		if strings.Contains(text, "\x1b") && !strings.HasSuffix(text, "\x1b[m") {
			text += "\x1b[m"
		}

		out = append(out, text)
	}

	return out
}

// maxStyle bounds how many bytes of styles are carried from line to line.
const maxStyle = 200

// isStyle reports whether a sequence only sets colours and the like.
func isStyle(seq string) bool {
	if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") || len(seq) > 64 {
		return false
	}
	return strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
}
