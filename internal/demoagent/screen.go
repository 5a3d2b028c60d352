package demoagent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const (
	placeholder = "Type a message…"
	thinking    = "✻ Thinking… (esc to interrupt)"
	question    = "May I go on with this?"
	// keptLines is how many lines of transcript are drawn again after a resize.
	keptLines = 500
	// composerRows is small enough that, with 800 characters on 80 columns, the rule
	// above the composer stays within the lines that profiles read.
	composerRows = 12
)

// block is the content of the block at the bottom.
type block struct {
	composer string
	busy     bool
	dialog   bool
	refuses  bool // the dialog's second option is marked
}

// screen draws a transcript that scrolls, and a block below it that stays.
type screen struct {
	tty        *terminal
	label      string
	transcript []string
	above      int // rows of the block above the cursor
}

// say puts text on the transcript. Its first row begins with a mark and the others are
// indented, so that no text can begin a row.
func (s *screen) say(b block, mark, text string) error {
	s.transcript = append(s.transcript, mark+" "+text)
	if over := len(s.transcript) - keptLines; over > 0 {
		s.transcript = s.transcript[over:]
	}
	return s.draw(b, mark+" "+text)
}

// draw adds fresh lines to the transcript and shows the block below them.
func (s *screen) draw(b block, fresh ...string) error {
	return s.paint("\r"+up(s.above)+"\x1b[J", b, fresh)
}

// leave removes the block and puts the cursor below the transcript. It ignores the error
// of a terminal that has gone.
func (s *screen) leave() { _, _ = io.WriteString(s.tty.out, "\r"+up(s.above)+"\x1b[J") }

// redraw draws everything again, after the terminal changed its size and moved the rows.
func (s *screen) redraw(b block) error {
	return s.paint("\x1b[H\x1b[2J", b, s.transcript)
}

func (s *screen) paint(begin string, b block, fresh []string) error {
	width, height := s.tty.size()
	var out strings.Builder
	out.WriteString("\x1b[?25l" + begin)
	for _, text := range fresh {
		for _, row := range indented(text, width) {
			out.WriteString(row + "\r\n")
		}
	}

	rows, y, x := s.rows(b, width, height)
	out.WriteString(strings.Join(rows, "\r\n") + "\r" + up(len(rows)-1-y))
	fmt.Fprintf(&out, "\x1b[%dG\x1b[?25h", min(x+1, width))
	s.above = y
	if _, err := io.WriteString(s.tty.out, out.String()); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}

	return nil
}

// rows returns the rows of the block, and the cursor's position in them.
func (s *screen) rows(b block, width, height int) (rows []string, y, x int) {
	rule := strings.Repeat("─", max(5, width))
	if b.dialog {
		return dialogRows(rule, b.refuses, width), 4, 0
	}

	if b.busy {
		rows = append(rows, thinking)
	}

	rows = append(rows, rule)
	if b.composer == "" {
		rows = append(rows, "› \x1b[2m"+placeholder+"\x1b[22m")
		y, x = len(rows)-1, 2
	} else {
		text := wrap(printable(b.composer), max(1, width-2))
		text = text[max(0, len(text)-max(1, min(composerRows, height-4))):]
		for i, row := range text {
			rows = append(rows, [...]string{"› ", "  "}[min(i, 1)]+row)
		}
		y, x = len(rows)-1, 2+ansi.StringWidthWc(text[len(text)-1])
	}

	return append(rows, "\x1b[2m"+cut("· "+s.label+" · ctrl-d ends", width)+"\x1b[22m"), y, x
}

func dialogRows(rule string, refuses bool, width int) []string {
	yes, no := "❯ 1. Yes", "  2. No"
	if refuses {
		yes, no = "  1. Yes", "❯ 2. No"
	}
	return []string{rule, cut(question, width), yes, no, cut("(enter to confirm)", width)}
}

func up(rows int) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

func cut(s string, width int) string { return ansi.TruncateWc(s, width, "") }

// indented wraps text at words, and indents the rows after the first by two spaces.
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

// printable replaces control characters, which would move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return '�'
		}
		return r
	}, strings.ReplaceAll(text, "\t", "    "))
}

// terminal is the tty in raw mode.
type terminal struct {
	in, out *os.File
	before  *term.State
}

const (
	bracketOn  = "\x1b[?2004h"
	bracketOff = "\x1b[?2004l"
)

func openTerminal(in, out *os.File) (*terminal, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("put the terminal into raw mode: %w", err)
	}
	t := &terminal{in: in, out: out, before: before}
	if _, err := io.WriteString(out, bracketOn); err != nil {
		t.restore()
		return nil, fmt.Errorf("write to the terminal: %w", err)
	}
	return t, nil
}

// restore puts the terminal back as it was. It ignores the error of one that has gone.
func (t *terminal) restore() {
	_, _ = io.WriteString(t.out, bracketOff)
	_ = term.Restore(int(t.in.Fd()), t.before)
}

// size returns the terminal's size, 80x24 if it is not known.
func (t *terminal) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(t.out.Fd()))
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}

// read sends typed bytes to out until the terminal has gone or stop becomes readable, and
// then closes out.
func (t *terminal) read(stop *os.File, out chan<- []byte) {
	defer close(out)
	buf := make([]byte, 64<<10)
	for t.wait(stop) {
		n, err := t.in.Read(buf)
		if n > 0 {
			out <- append([]byte(nil), buf[:n]...)
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// wait waits until the terminal can be read, and reports false if stop can be read.
func (t *terminal) wait(stop *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}, {Fd: int32(stop.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && fds[1].Revents == 0
	}
}

// escapeWithin is how long the rest of a sequence may take after its escape byte.
// Terminals send both at once.
const escapeWithin = 50 * time.Millisecond
