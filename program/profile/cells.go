package profile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// style is how a cell of the terminal is drawn.
type style struct {
	faint, inverse bool
	fg, bg         string // the codes that set the colours; "": the usual ones
}

// stylesOf returns the style of each column of rows with colours. What a row sets holds on in the next one.
func stylesOf(rows []string) [][]style {
	all := make([][]style, len(rows))
	var now style
	for i, row := range rows {
		state := byte(0)
		for row != "" {
			seq, width, n, next := ansi.DecodeSequenceWc(row, state, nil)
			if codes, ok := strings.CutPrefix(seq, "\x1b["); ok && strings.HasSuffix(codes, "m") {
				now.set(strings.Split(strings.TrimSuffix(codes, "m"), ";"))
			}
			for range width {
				all[i] = append(all[i], now)
			}
			row, state = row[n:], next
		}
	}
	return all
}

// styleAt returns the style of a column; beyond the end of the row it is the usual one.
func styleAt(styles []style, column int) style {
	if column < 0 || column >= len(styles) {
		return style{}
	}
	return styles[column]
}

// set applies the codes of a sequence that sets attributes.
func (s *style) set(codes []string) {
	operands := map[string]int{"5": 2, "2": 4} // of 38 and 48
	for i := 0; i < len(codes); i++ {
		switch code := codes[i]; {
		case code == "0", code == "":
			*s = style{}
		case code == "2", code == "22":
			s.faint = code == "2"
		case code == "7", code == "27":
			s.inverse = code == "7"
		case code == "39":
			s.fg = ""
		case code == "49":
			s.bg = ""
		case (code == "38" || code == "48") && i+1 < len(codes):
			end := min(i+operands[codes[i+1]]+1, len(codes))
			colour := strings.Join(codes[i:end], ";")
			if i = end - 1; code == "38" {
				s.fg = colour
			} else {
				s.bg = colour
			}
		case len(code) == 2 && (code[0] == '3' || code[0] == '9'):
			s.fg = code
		case len(code) == 2 && code[0] == '4', len(code) == 3 && code[:2] == "10":
			s.bg = code
		}
	}
}

// muted reports whether a cell is drawn as a hint is: faint, or in a grey between that of text on a dark and
// on a light background. The programs that were measured draw what a person types in neither.
func (s style) muted() bool {
	if s.faint {
		return true
	}
	rgb, ok := rgbOf(s.fg)
	if !ok {
		return false
	}
	low, high := min(rgb[0], rgb[1], rgb[2]), max(rgb[0], rgb[1], rgb[2])
	return high-low <= 48 && low >= 60 && high <= 190
}

// rgbOf returns a colour by the codes that set it. It is not ok for the usual ones, which depend on the terminal.
func rgbOf(codes string) (rgb [3]int, ok bool) {
	f := strings.Split(codes, ";")
	number := func(i int) int { n, _ := strconv.Atoi(f[i]); return n }
	switch {
	case codes == "90", codes == "38;5;8":
		return [3]int{128, 128, 128}, true
	case len(f) == 5 && f[0] == "38" && f[1] == "2":
		return [3]int{number(2), number(3), number(4)}, true
	case len(f) != 3 || f[0] != "38" || f[1] != "5" || number(2) < 16:
		return rgb, false
	case number(2) >= 232:
		grey := 8 + 10*(number(2)-232)
		return [3]int{grey, grey, grey}, true
	}

	levels := [6]int{0, 95, 135, 175, 215, 255}
	n := (number(2) - 16) % 216
	return [3]int{levels[n/36], levels[n/6%6], levels[n%6]}, true
}

// Cells returns the part of a row of text that stands from one column up to another. ansi.CutWc returns what stands
// before the first.
func Cells(row string, from, to int) string {
	return ansi.TruncateLeftWc(ansi.TruncateWc(row, max(0, to), ""), max(0, from), "")
}

// withoutHint cuts what a program suggests behind the cursor off the rows of a composer, the first of which begins
// at a row and a column of the screen. A suggestion is muted as a whole, but for the cell of the cursor, which
// can be drawn over it. Without colours there is none.
func (s *Screen) withoutHint(rows []string, row, column int) []string {
	if s.Colours == nil {
		return rows
	}

	styles := stylesOf(s.Colours)
	at, x := s.CursorY-row, s.CursorX
	if at < 0 || at >= len(rows) || at == 0 && x < column {
		at, x = 0, column // the cursor is elsewhere
	}
	if s.CursorHidden { // the program draws one of its own: the terminal's can stand anywhere
		if shown, is := withoutHintAt(rows, styles, row, column, 0, column); is {
			return shown
		}
	}
	rows, _ = withoutHintAt(rows, styles, row, column, at, x)
	return rows
}

// withoutHintAt is withoutHint with the cursor in a row of the composer, and in a column. It reports whether a hint
// stands behind that.
func withoutHintAt(rows []string, styles [][]style, row, column, at, x int) ([]string, bool) {
	hint := false
	for i := at; i < len(rows) && row+i < len(styles); i++ {
		from, left := 0, 0
		if i == 0 {
			left = column
		}
		if from = left; i == at {
			from = max(left, x)
		}
		for c := from; c < left+ansi.StringWidthWc(rows[i]); c++ {
			drawn := styleAt(styles[row+i], c)
			switch {
			case strings.TrimFunc(Cells(rows[i], c-left, c-left+1), isBlank) == "",
				i == at && c == x && drawn.inverse:
			case !drawn.muted():
				return rows, false
			default:
				hint = true
			}
		}
	}
	if !hint {
		return rows, false
	}

	left := 0
	if at == 0 {
		left = column
	}
	rows = append([]string{}, rows[:at+1]...)
	rows[at] = strings.TrimRightFunc(ansi.TruncateWc(rows[at], max(0, x-left), ""), isBlank)
	return rows, true
}

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
