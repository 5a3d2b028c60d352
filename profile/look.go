package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tail is how many lines, empty ones not counted, Look reads: all six agent CLIs
// that were measured keep their state within them.
const tail = 20

// Look says what a screen shows, given its rows without colours. A dialog counts
// before busy, busy before blocked, and blocked before idle. A text of ours that
// stands in the composer says nothing, whatever it imitates.
func (p *Profile) Look(lines []string) State {
	text := lastLines(p.withoutOurs(lines))
	shows := func(marker *regexp.Regexp, text string) bool { return marker != nil && marker.MatchString(text) }
	switch {
	case shows(p.dialog, text):
		return Dialog
	case shows(p.busy, text):
		return Busy
	case p.blockedBy(text) != "":
		return Blocked
	case shows(p.idle, lastLines(lines)):
		return Idle
	}

	return Unknown
}

// BlockedBy says what blocks the program, such as "usage limit"; "" if nothing that
// is known.
func (p *Profile) BlockedBy(lines []string) string {
	return p.blockedBy(lastLines(p.withoutOurs(lines)))
}

func (p *Profile) blockedBy(text string) string {
	for _, what := range slices.Sorted(maps.Keys(p.blocked)) {
		if p.blocked[what].MatchString(text) {
			return what
		}
	}
	return ""
}

// HasMarkers reports whether the screen can tell when the program is ready. If it
// cannot, quiet has to.
func (p *Profile) HasMarkers() bool { return p.idle != nil }

func lastLines(lines []string) string {
	var last []string
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimRight(line, " "); line != "" {
			last = append(last, line)
		}
		if len(last) == tail {
			break
		}
	}
	slices.Reverse(last)
	return strings.Join(last, "\n") + "\n"
}

// Screen is what Composer reads: the visible rows from the top, not joined, without
// colours, and the cursor in them, counted from 0.
type Screen struct {
	Lines            []string
	Width            int // columns
	CursorX, CursorY int
}

// Composer returns what stands in the composer, wrapped rows joined and "" if it is
// empty. It is not ok when the composer is not on the screen.
func (p *Profile) Composer(s Screen) (text string, ok bool) {
	if p.composer == nil {
		return s.toCursor()
	}

	screen := strings.Join(trimmed(s.Lines), "\n") + "\n"
	at, right, _ := p.lastComposer(screen)
	if at == nil {
		return "", false
	}

	row, column := strings.Count(screen[:at[0]], "\n"), columnAt(screen, at[0])
	rows := strings.Split(strings.TrimRight(screen[at[0]:at[1]], "\n"), "\n")
	if p.Markers.Cursor && (s.CursorY < row || s.CursorY >= row+len(rows)) {
		return "", false
	}

	width := s.Width
	if right > 0 {
		width = min(right, width)
		rows = cut(rows, column, width)
	}

	text = joinRows(rows, column, width)
	if p.empty != nil && s.CursorY == row && s.CursorX == column && p.empty.MatchString(text) {
		return "", true
	}

	return text, true
}

// columnAt is the column of a byte of the screen.
func columnAt(screen string, at int) int {
	return ansi.StringWidthWc(screen[strings.LastIndexByte(screen[:at], '\n')+1 : at])
}

// cut takes away what stands right of a column; the first row begins at column.
func cut(rows []string, column, right int) []string {
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

// lastComposer is the place of the text in the lowest composer, the column right of its
// frame, 0 if it has none, and whether more of the text stands above what is shown.
func (p *Profile) lastComposer(screen string) (text []int, right int, cut bool) {
	group, frame, above := 2*textGroup(p.composer), 2*p.composer.SubexpIndex("frame"), 2*p.composer.SubexpIndex("cut")
	matches := p.composer.FindAllStringSubmatchIndex(screen, -1)
	if len(matches) == 0 {
		return nil, 0, false
	}
	last := matches[len(matches)-1]
	if frame > 0 && last[frame] >= 0 {
		right = columnAt(screen, last[frame+1])
	}
	return last[group : group+2], right, above > 0 && last[above] >= 0
}

// textGroup is the number of the group that holds the composer's text.
func textGroup(re *regexp.Regexp) int { return re.SubexpIndex("text") }

// Collapsed reports whether the composer shows, in place of a long paste, that there
// is one.
func (p *Profile) Collapsed(composer string) bool {
	return p.paste != nil && p.paste.MatchString(composer)
}

// Holds reports whether part stands in a composer's text. White space does not
// count: programs that wrap by themselves break lines and indent as they like.
func Holds(composer, part string) bool {
	part = squeeze(part)
	return part != "" && strings.Contains(squeeze(composer), part)
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// toCursor is the text up to the cursor, from the first of the rows that are
// wrapped into the cursor's.
func (s Screen) toCursor() (string, bool) {
	if s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return "", false
	}

	lines := trimmed(s.Lines[:s.CursorY+1])
	here := ansi.TruncateWc(lines[s.CursorY], max(0, s.CursorX), "")
	if here == "" {
		return "", true
	}

	first := s.CursorY
	lines[s.CursorY] = here
	for first > 0 && full(lines[first-1], lines[first], s.Width) {
		first--
	}

	return joinRows(lines[first:], 0, s.Width), true
}

// joinRows joins the rows of one text. Those after the first lose up to indent
// cells; where a row was not full, its line break was in the text.
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
		case !full(strings.Repeat(" ", indent)+row, next, width):
			b.WriteByte('\n')
		case used < width && !startsWide(next):
			b.WriteString(strings.Repeat(" ", width-used)) // a space was trimmed off
		}
	}

	return b.String()
}

// full reports whether row can have been wrapped into next: it reaches the right
// edge, or all but one column, which was a space or too narrow for a wide character.
func full(row, next string, width int) bool {
	used := ansi.StringWidthWc(row)
	return width > 1 && used >= width-1 && (used >= width || next != "")
}

func startsWide(s string) bool {
	for _, r := range s {
		return ansi.StringWidthWc(string(r)) > 1
	}
	return false
}

// unindent takes away up to n cells that are blank or part of a frame.
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

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRightFunc(line, blank)
	}
	return out
}

// blank reports what is nothing to see. One program writes a space without width
// behind its cursor.
func blank(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' }
