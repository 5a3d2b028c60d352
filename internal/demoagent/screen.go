package demoagent

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	placeholder = "Type a message…"
	thinking    = "✻ Thinking… (esc to interrupt)"
	choices     = "❯ 1. Yes  2. No  (enter to confirm)"
	question    = "May I go on with this?"
	// keep is how many lines of transcript are drawn again after a resize.
	keep = 500
	// composerRows leaves, with 800 characters on 80 columns, the rule above the
	// composer within the lines that profiles look at.
	composerRows = 12
)

// look is what the block at the bottom shows.
type look struct {
	composer string
	busy     bool
	dialog   bool
}

// screen draws a transcript that scrolls, and a block under it that stays.
type screen struct {
	tty        *terminal
	label      string
	transcript []string
	above      int // rows of the block above the cursor
}

// say puts text on the transcript: a mark on its first row, and the others indented,
// so that no text can begin a row.
func (s *screen) say(l look, mark, text string) error {
	s.transcript = append(s.transcript, mark+" "+text)
	if over := len(s.transcript) - keep; over > 0 {
		s.transcript = s.transcript[over:]
	}
	return s.draw(l, mark+" "+text)
}

// draw shows the block again, after what is new on the transcript.
func (s *screen) draw(l look, fresh ...string) error {
	return s.paint("\r"+up(s.above)+"\x1b[J", l, fresh)
}

// leave takes the block away and puts the cursor under the transcript. A terminal
// that has gone does not matter.
func (s *screen) leave() { _, _ = io.WriteString(s.tty.out, "\r"+up(s.above)+"\x1b[J") }

// redraw is for a terminal of a new size, in which rows are no longer where they were.
func (s *screen) redraw(l look) error {
	return s.paint("\x1b[H\x1b[2J", l, s.transcript)
}

func (s *screen) paint(begin string, l look, fresh []string) error {
	width, height := s.tty.size()
	var b strings.Builder
	b.WriteString("\x1b[?25l" + begin)
	for _, text := range fresh {
		for _, row := range indented(text, width) {
			b.WriteString(row + "\r\n")
		}
	}

	rows, y, x := s.block(l, width, height)
	b.WriteString(strings.Join(rows, "\r\n") + "\r" + up(len(rows)-1-y))
	fmt.Fprintf(&b, "\x1b[%dG\x1b[?25h", min(x+1, width))
	s.above = y
	if _, err := io.WriteString(s.tty.out, b.String()); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}

	return nil
}

// block returns the rows at the bottom and where in them the cursor stands.
func (s *screen) block(l look, width, height int) (rows []string, y, x int) {
	rule := strings.Repeat("─", max(5, width))
	if l.dialog {
		rows = []string{rule, cut(question, width), cut(choices, width)}
		return rows, len(rows) - 1, 0
	}

	if l.busy {
		rows = append(rows, thinking)
	}

	rows = append(rows, rule)
	if l.composer == "" {
		rows = append(rows, "› \x1b[2m"+placeholder+"\x1b[22m")
		y, x = len(rows)-1, 2
	} else {
		text := wrap(printable(l.composer), max(1, width-2))
		text = text[max(0, len(text)-max(1, min(composerRows, height-4))):]
		for i, row := range text {
			rows = append(rows, [...]string{"› ", "  "}[min(i, 1)]+row)
		}
		y, x = len(rows)-1, 2+ansi.StringWidthWc(text[len(text)-1])
	}

	return append(rows, "\x1b[2m"+cut("· "+s.label+" · ctrl-d ends", width)+"\x1b[22m"), y, x
}

func up(rows int) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

func cut(s string, width int) string { return ansi.TruncateWc(s, width, "") }

// indented wraps text at words, its rows after the first behind two spaces.
func indented(text string, width int) []string {
	rows := strings.Split(ansi.WrapWc(printable(text), max(1, width-2), ""), "\n")
	for i := range rows[1:] {
		rows[i+1] = "  " + rows[i+1]
	}
	return rows
}

// wrap breaks text at line feeds and where a row is full.
func wrap(text string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		row, used := "", 0
		for _, r := range line {
			w := ansi.StringWidthWc(string(r))
			if used+w > width && row != "" {
				rows, row, used = append(rows, row), "", 0
			}
			row, used = row+string(r), used+w
		}

		rows = append(rows, row)
	}

	return rows
}

// printable replaces what would move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return '�'
		}
		return r
	}, strings.ReplaceAll(text, "\t", "    "))
}
