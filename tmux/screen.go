package tmux

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ScreenOptions says how to read a screen. The zero value is the visible text.
type ScreenOptions struct {
	Colours bool // keep colours and attributes as escape sequences (645 us of the server's time instead of 140)
	Join    bool // one line for each long line that the terminal wrapped; then lines are no longer rows
	History int  // rows of scrollback before the visible ones
	Tail    int  // only so many last rows, counted from the last that is not blank; 0: all
}

// Screen is the text of a pane and its cursor at one moment.
type Screen struct {
	Lines            []string // without trailing blanks, unless Colours
	Top              int      // row of Lines[0]: 0 is the first visible one, below 0 is history; meaningless with Join
	CursorX, CursorY int      // from 0, in the visible part
	Width, Height    int
	AltScreen        bool // a full-screen program
	InMode           bool // a person is scrolling or choosing; Lines are the program's all the same
	InputOff         bool // the pane takes no input (select-pane -d)
	Shared           bool // keys typed there go to other panes too (synchronize-panes)
	Dead             bool
	Title            string    // that the program gave its terminal
	Touched          time.Time // last key of a person who is attached and has this pane before them, whole seconds; zero: nobody is
	Drawn            time.Time // when something was last drawn in its window, whole seconds
}

// Text is the lines, each with its end of line.
func (s Screen) Text() string { return strings.Join(s.Lines, "\n") + "\n" }

// CursorLine is the line that the cursor is on, "" if it is not among Lines.
func (s Screen) CursorLine() string {
	if i := s.CursorY - s.Top; i >= 0 && i < len(s.Lines) {
		return s.Lines[i]
	}
	return ""
}

var screenFormat = strings.Join([]string{
	"#{pane_id}", "#{pane_width}", "#{pane_height}", "#{cursor_x}", "#{cursor_y}",
	"#{history_size}", "#{alternate_on}", "#{pane_in_mode}", "#{pane_dead}", "#{pane_input_off}",
	watched, "#{session_activity}",
	"#{q:pane_title}", "#{pane_synchronized}", "#{window_activity}",
}, "|")

// Screen reads the pane. Text and cursor are taken by one command line and agree.
// A pane that is gone is ErrNoPane.
func (p *Pane) Screen(ctx context.Context, opts ScreenOptions) (Screen, error) {
	if err := p.check(); err != nil {
		return Screen{}, err
	}
	lines, err := p.server.run(ctx,
		"display-message -p -t "+p.id+" "+quote(screenFormat), "capture-pane -p -t "+p.id+opts.flags())
	if err != nil {
		return Screen{}, fmt.Errorf("read pane %s: %w", p.id, err)
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], p.id+"|") {
		return Screen{}, fmt.Errorf("read pane %s: %w", p.id, ErrNoPane)
	}
	return parseScreen(lines, opts)
}

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

func parseScreen(lines []string, opts ScreenOptions) (Screen, error) {
	f := splitFields(lines[0])
	if len(f) != 15 {
		return Screen{}, fmt.Errorf("tmux described a screen as %q", lines[0])
	}

	s := Screen{
		Lines: slices.Clone(lines[1:]),
		Width: number(f[1]), Height: number(f[2]), CursorX: number(f[3]), CursorY: number(f[4]),
		Title: f[12], Top: -min(opts.History, number(f[5])),
		AltScreen: f[6] == "1", InMode: number(f[7]) > 0, Dead: f[8] == "1", InputOff: f[9] == "1", Shared: f[13] == "1",
		Drawn: time.Unix(int64(number(f[14])), 0),
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

// cut keeps the last n rows up to the last that shows something.
func (s *Screen) cut(n int) {
	end := len(s.Lines)
	for end > 0 && strings.TrimSpace(s.Lines[end-1]) == "" {
		end--
	}
	start := max(0, end-n)
	s.Lines, s.Top = s.Lines[start:end], s.Top+start
}
