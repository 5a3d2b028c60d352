package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley"
)

// spare is how many columns at the right edge stay empty. A row that a terminal
// draws wider than we count then damages only itself: the excess of a full row
// wraps and scrolls the screen (measured in tmux 3.3a with emoji families, flags
// and Devanagari).
const spare = 2

// maxMarks is how many combining marks a character keeps. Every living script
// needs fewer; a character with more is drawn over its neighbours.
const maxMarks = 4

// safeLine makes a foreign text into one line that is safe to show.
func safeLine(s string) string { return visible(parley.CleanLine(s)) }

// safeText makes a foreign text safe to show, with its line breaks.
func safeText(s string) string {
	return visible(strings.ReplaceAll(parley.Clean(s), "\t", "    "))
}

// codeWords returns a code as words: "no_key" as "no key".
func codeWords[T ~string](code T) string { return strings.ReplaceAll(safeLine(string(code)), "_", " ") }

// visible drops characters that have no shape (joiners, variation selectors, tags,
// fillers) or that no font shows: terminals disagree on their width.
func visible(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}

		switch {
		case r == '\n':
			return r
		case invisible(r), marks > maxMarks:
			return -1
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '�'
		}

		return r
	}, s)
}

func invisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || unicode.Is(unicode.Cf, r)
}

// width returns how many columns s takes at most: terminals count either clusters
// or characters.
func width(s string) int { return max(ansi.StringWidth(s), ansi.StringWidthWc(s)) }

// fit cuts s to at most w columns, however the terminal counts. Where the two ways
// differ, it cuts by clusters until the other way fits as well.
func fit(s string, w int) string {
	for n := w; n > 0; {
		cut := ansi.Truncate(s, n, "…")
		over := ansi.StringWidthWc(cut) - w
		if over <= 0 {
			return cut
		}
		n -= (over + 1) / 2
	}
	return ""
}

// tail keeps the last w columns of plain text, where its cursor is.
func tail(s string, w int) string {
	for width(s) > w {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// pad makes s exactly w columns wide.
func pad(s string, w int) string {
	s = fit(s, w)
	return s + strings.Repeat(" ", max(0, w-width(s)))
}

// wrap breaks plain text into lines of at most w columns. It loses nothing.
func wrap(s string, w int) []string {
	w = max(w, 2) // the widest character
	var lines []string
	for line := range strings.SplitSeq(ansi.Wrap(s, w, ""), "\n") {
		if width(line) <= w {
			lines = append(lines, line)
			continue
		}

		line = ansi.HardwrapWc(line, w, true)
		for part := range strings.SplitSeq(line, "\n") {
			lines = append(lines, fit(part, w))
		}
	}

	return lines
}

// columns joins the words, best first, that fit into w columns.
func columns(words []string, gap string, w int) string {
	var b strings.Builder
	used := 0
	for _, word := range words {
		need := width(word)
		if used > 0 {
			need += width(gap)
		}
		if word == "" || used+need > w {
			continue
		}
		if used > 0 {
			b.WriteString(gap)
		}

		b.WriteString(word)
		used += need
	}

	return b.String()
}
