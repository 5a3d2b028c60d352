package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/daemon"
)

// wordsOnly reports whether what people read is to be words alone, line by line: for a screen reader, and for a
// terminal that can only print.
func wordsOnly(env daemon.Environ) bool {
	chosen, _ := strconv.ParseBool(env.Get("PARLEY_SCREEN_PLAIN"))
	return chosen || env.Get("TERM") == "dumb"
}

// redraws reports whether f is a terminal on which a line can be written over.
func redraws(env daemon.Environ, f *os.File) bool { return isTerminal(f) && !wordsOnly(env) }

// shown returns a text for people as it is printed.
func (s *surroundings) shown(text string) string {
	if text = harmless(text); wordsOnly(s.env) {
		return unboxed(text)
	}
	return text
}

// spoken says in words what signs mean.
var spoken = strings.NewReplacer("  → ", "  Do: ", "\n→ ", "\nDo: ", "→", "to", "●", "unread", "…", "...", "“", `"`,
	"”", `"`)

// unboxed returns a text without the lines that are drawn on a screen, and without those that have nothing else.
func unboxed(text string) string {
	var lines []string
	for line := range strings.SplitSeq(spoken.Replace("\n" + text)[1:], "\n") {
		bare := strings.Map(undrawn, line)
		if bare != line && strings.TrimSpace(ansi.Strip(bare)) == "" {
			continue
		}
		lines = append(lines, strings.TrimRight(bare, " "))
	}
	return strings.Join(lines, "\n")
}

// undrawn drops what is a picture and no text: lines and blocks, shapes, and the dots of braille.
func undrawn(r rune) rune {
	switch {
	case r >= 0x2500 && r < 0x2600, r >= 0x2800 && r < 0x2900:
		return -1
	case r == '◆', r == '❯', r == '›', r == '»', r == '⎿', r == '⏺', r == '✻', r == '·':
		return -1
	}
	return r
}

// sentences returns each row of a table in a line: its first cell, and the others behind their headings. What says
// nothing is left out.
func (t *table) sentences() []string {
	var lines []string
	for i, row := range t.rows {
		if t.headed && i == 0 || len(row) == 0 {
			continue
		}
		var words []string
		for k, cell := range row[1:] {
			text := strings.TrimSpace(ansi.Strip(cell))
			switch {
			case text == "", text == "0" && t.headed:
				continue
			case t.headed:
				text = strings.ToLower(strings.TrimSpace(ansi.Strip(t.rows[0][k+1]))) + " " + text
			}
			words = append(words, text)
		}
		sentence := strings.TrimSpace(ansi.Strip(row[0])) + ": " + strings.Join(words, ", ")
		lines = append(lines, strings.TrimSuffix(sentence, ": "))
	}
	return lines
}
