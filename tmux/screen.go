package tmux

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// ScreenOptions says how to read a screen. The zero value is the visible text.
type ScreenOptions struct {
	Colours bool // keep colours and attributes as escape sequences (645 us of the server's time instead of 140)
	Join    bool // one line for each long line that the terminal wrapped; then lines are no longer rows
	History int  // rows of scrollback before the visible ones
	Tail    int  // at most so many rows, ending with the last one that is not blank; 0: all
}

// Screen is the text of a pane and its cursor at one moment.
type Screen struct {
	Lines            []string // without trailing blanks, unless Colours
	Styled           []string // the same with colours and attributes, see WithoutColours; nil: not read
	Top              int      // row of Lines[0]: 0 is the first visible one, below 0 is history; meaningless with Join
	CursorX, CursorY int      // from 0, in the visible part
	CursorHidden     bool     // by the program
	Width, Height    int
	AltScreen        bool // a full-screen program
	InMode           bool // a person is scrolling or choosing; Lines still show the program
	InputOff         bool // the pane takes no input (select-pane -d)
	Shared           bool // typed keys go to other panes too (synchronize-panes)
	Dead             bool
	Title            string // set by the program

	// Touched is the time of the last key of the people who view the pane, in whole
	// seconds. It is zero if nobody views it. To attach counts as a key: tmux notes both alike.
	Touched time.Time
	// Unviewed says that nobody has ever viewed the pane's session: what waits to be read there is no person's key, but
	// what tmux answers to its program.
	Unviewed bool
	// Drawn is when something was last drawn in its window, in whole seconds.
	Drawn time.Time
}

// Text returns the lines, each ended by a line feed.
func (s Screen) Text() string { return strings.Join(s.Lines, "\n") + "\n" }

// WithoutColours returns a screen that was read with colours as one that was read without, and keeps the
// coloured rows in Styled.
func (s Screen) WithoutColours() Screen {
	s.Styled = s.Lines
	s.Lines = make([]string, len(s.Styled))
	for i, line := range s.Styled {
		s.Lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return s
}

// Ahead returns the time of the last key if it lies in the future: the clock was set back after
// it. Else it returns zero.
func (s Screen) Ahead(now time.Time) time.Time {
	if s.Touched.After(now) {
		return s.Touched
	}
	return time.Time{}
}

// screenFormat is the format that parseScreen reads.
var screenFormat = strings.Join([]string{
	"#{pane_id}", "#{pane_width}", "#{pane_height}", "#{cursor_x}", "#{cursor_y}",
	"#{history_size}", "#{alternate_on}", "#{pane_in_mode}", "#{pane_dead}", "#{pane_input_off}",
	watched, "#{session_activity}",
	escaped("pane_title"), "#{pane_synchronized}", "#{window_activity}", "#{cursor_flag}",
	"#{session_last_attached}",
}, "|")

func (o ScreenOptions) flags() string {
	flags := ""
	if o.Colours {
		flags += " -e"
	}
	if o.Join {
		flags += " -J"
	}
	if o.History > 0 {
		flags += " -S -" + strconv.Itoa(o.History)
	}
	return flags
}

// parseScreen reads the facts of a screen and takes over its lines.
func parseScreen(facts string, lines []string, opts ScreenOptions) (Screen, error) {
	f := splitFields(facts)
	if len(f) != 17 {
		return Screen{}, fmt.Errorf("tmux described a screen as %q", facts)
	}

	s := Screen{
		Lines: lines,
		Width: number(f[1]), Height: number(f[2]), CursorX: number(f[3]), CursorY: number(f[4]),
		Title: f[12], Top: -min(opts.History, number(f[5])),
		AltScreen: f[6] == "1", InMode: number(f[7]) > 0, Dead: f[8] == "1",
		InputOff: f[9] == "1", Shared: f[13] == "1",
		Drawn: time.Unix(int64(number(f[14])), 0), CursorHidden: f[15] == "0",
		Unviewed: number(f[16]) == 0,
	}

	if f[10] == "1" {
		s.Touched = time.Unix(int64(number(f[11])), 0)
	}

	if !opts.Colours {
		for i, line := range s.Lines {
			s.Lines[i] = strings.TrimRight(line, " ")
		}
	}

	if opts.Tail > 0 {
		s.cut(opts.Tail)
	}

	return s, nil
}

// cut keeps at most n rows, ending with the last one that is not blank.
func (s *Screen) cut(n int) {
	end := len(s.Lines)
	for end > 0 && strings.TrimSpace(s.Lines[end-1]) == "" {
		end--
	}
	start := max(0, end-n)
	s.Lines, s.Top = s.Lines[start:end], s.Top+start
}

// watched is true while a person views the pane.
var watched = whileAttached(foremost)

// foremost is true of the pane that whoever attaches to its session sees.
const foremost = "#{&&:#{window_active},#{pane_active}}"

// whileAttached returns a format that is 0 while nobody is attached, which is most of the time. Then
// tmux skips what stands in it. Of && it would expand both operands.
func whileAttached(format string) string { return "#{?session_attached," + format + ",0}" }
