package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// textBeforeCursor returns the text that ends at the cursor and begins with the first
// row that was wrapped into the cursor's.
func (s Screen) textBeforeCursor() (string, bool) {
	if s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return "", false
	}

	lines := trimRows(s.Lines[:s.CursorY+1])
	here := ansi.TruncateWc(lines[s.CursorY], max(0, s.CursorX), "")
	if here == "" {
		return "", true
	}

	first := s.CursorY
	lines[s.CursorY] = here
	for first > 0 && wrapsInto(lines[first-1], lines[first], s.Width) {
		first--
	}

	return joinRows(lines[first:], 0, s.Width), true
}

// joinRows joins the rows of one text. Rows after the first lose up to indent cells. A
// line break after a row that was not full belongs to the text.
func joinRows(rows []string, indent, width int) string {
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			row = unindent(row, indent)
		}

		b.WriteString(row)
		if i == len(rows)-1 {
			break
		}

		next := unindent(rows[i+1], indent)
		used := ansi.StringWidthWc(row) + indent
		switch {
		case !wrapsInto(strings.Repeat(" ", indent)+row, next, width):
			b.WriteByte('\n')
		case used < width && !startsWide(next):
			b.WriteString(strings.Repeat(" ", width-used)) // a space was trimmed
		}
	}

	return b.String()
}

// wrapsInto reports whether row may have been wrapped into next: it reaches the right
// edge, or all but one column, which was a space or too narrow for a wide character.
func wrapsInto(row, next string, width int) bool {
	used := ansi.StringWidthWc(row)
	return width > 1 && used >= width-1 && (used >= width || next != "")
}

func startsWide(s string) bool {
	for _, r := range s {
		return ansi.StringWidthWc(string(r)) > 1
	}
	return false
}

// unindent removes up to n leading cells that are blank or part of a frame.
func unindent(row string, n int) string {
	for ; n > 0; n-- {
		r, size := utf8.DecodeRuneInString(row)
		if r != ' ' && (r < '\u2500' || r > '\u257f') { // box drawing
			break
		}
		row = row[size:]
	}
	return row
}

// truncateRows cuts rows at the column right. The first row begins at column.
func truncateRows(rows []string, column, right int) []string {
	for i, row := range rows {
		if i == 0 {
			row = ansi.TruncateWc(row, max(0, right-column), "")
		} else {
			row = ansi.TruncateWc(row, right, "")
		}
		rows[i] = strings.TrimRight(row, " ")
	}
	return rows
}

// columnAt returns the column of a byte of the screen.
func columnAt(screen string, at int) int {
	return ansi.StringWidthWc(screen[strings.LastIndexByte(screen[:at], '\n')+1 : at])
}

// trimRows returns rows without trailing blanks.
func trimRows(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = strings.TrimRightFunc(row, isBlank)
	}
	return out
}

// isBlank reports whether a character shows nothing. One program writes a space without
// width after its cursor.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' }

// Screen is the input of Composer: the visible part of a terminal.
type Screen struct {
	Lines            []string // rows from the top, not joined, without colours
	Colours          []string // the same with colours; nil: not read. Menu and Composer look at them
	Width            int      // columns
	CursorX, CursorY int      // from 0
	CursorHidden     bool
	FullScreen       bool // on the alternate screen
}
