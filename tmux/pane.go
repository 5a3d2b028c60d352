package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/internal/wait"
)

// PaneInfo describes a pane at one moment. It is a record of what tmux
// prints for paneFormat.
type PaneInfo struct {
	ID      string // %N
	PID     int    // of the program that was started in it
	TTY     string // /dev/pts/N
	Session string

	Owner string // @parley_agent

	// Seq is the last message typed, and Phase how far it got: "", "pasted", "entered" or
	// "entered-again". Only Pane.Info tells them.
	Seq   uint64
	Phase string

	Dead       bool
	ExitStatus int    // valid if ExitKnown and Signal is ""
	ExitKnown  bool   // false for a dead pane means that tmux was told to look again: ask later
	Signal     string // number or name of the signal that ended it

	InMode, InputOff, AltScreen bool
	Width, Height               int
	CursorX, CursorY            int // from 0
	Title                       string
	Activity                    time.Time // last output in the window, whole seconds
	Attached                    int       // clients on its session; on a joined server one of them may be ours

	LaunchWidth, LaunchHeight int  // of its window; 0 if not made by parley, or by an older version
	Unviewed                  bool // nobody views its window, or has chosen the window's size
	Resized                   bool // it is Unviewed, and its window has another size now
}

// windowSize is also the form in which the size at launch is recorded.
const windowSize = "#{window_width}x#{window_height}"

// paneFormat is the format that parsePane reads. It has no '%', which display-message
// would read as a time format. A '|' in free text does not split it.
var paneFormat = strings.Join([]string{
	"#{pane_id}", "#{pane_pid}", escaped("pane_tty"), escaped("session_name"),
	escaped(ownerOption),
	"#{pane_dead}", "#{pane_dead_status}", "#{pane_dead_signal}",
	"#{pane_in_mode}", "#{pane_input_off}", "#{alternate_on}",
	"#{pane_width}", "#{pane_height}", "#{cursor_x}", "#{cursor_y}",
	"#{window_activity}", "#{session_attached}", escaped("pane_title"),
	"#{" + sizeOption + "}", windowSize, "#{window_active_clients}", "#{window-size}",
}, "|")

func parsePane(line string) (PaneInfo, error) {
	f := splitFields(line)
	if len(f) != 22 || !strings.HasPrefix(f[0], "%") {
		return PaneInfo{}, fmt.Errorf("tmux described a pane as %q", line)
	}

	p := PaneInfo{
		ID: f[0], PID: number(f[1]), TTY: f[2], Session: f[3],
		Owner: f[4],
		Dead:  f[5] == "1", ExitStatus: number(f[6]), Signal: f[7],
		InMode: number(f[8]) > 0, InputOff: f[9] == "1", AltScreen: f[10] == "1",
		Width: number(f[11]), Height: number(f[12]), CursorX: number(f[13]), CursorY: number(f[14]),
		Activity: time.Unix(int64(number(f[15])), 0), Attached: number(f[16]), Title: f[17],
	}

	p.ExitKnown = p.Dead && (f[6] != "" || f[7] != "")
	width, height, _ := strings.Cut(f[18], "x")
	p.LaunchWidth, p.LaunchHeight = number(width), number(height)

	// The size is manual after somebody ran resize-window.
	p.Unviewed = f[18] != "" && p.Attached == 0 && f[20] == "0" && f[21] != "manual"
	p.Resized = p.Unviewed && f[19] != f[18]

	return p, nil
}

// Panes lists every pane of the server except the hub's, with one command.
func (s *Server) Panes(ctx context.Context) ([]PaneInfo, error) {
	lines, err := s.run(ctx, "list-panes -a -F "+quote(paneFormat))
	if err != nil {
		return nil, fmt.Errorf("list panes: %w", err)
	}

	panes := make([]PaneInfo, 0, len(lines))
	for _, line := range lines {
		p, err := parsePane(line)
		if err != nil {
			return nil, err
		}
		if p.Session == hubSession && !s.opts.Join {
			continue
		}

		panes = append(panes, p)
	}

	s.remind(panes...)

	return panes, nil
}

// remind makes tmux collect its dead children if a pane died without a status:
// Debian's 3.3a to 3.5a lose 3 to 17 % of the signals that would make it do so.
func (s *Server) remind(panes ...PaneInfo) {
	for _, p := range panes {
		if p.Dead && !p.ExitKnown {
			if pid := s.transport.known().pid; pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGCHLD)
			}
			return
		}
	}
}

// Pane returns a handle on the pane with that id, which need not exist.
func (s *Server) Pane(id string) *Pane { return &Pane{server: s, id: id} }

// Pane is one terminal. Only one caller at a time may call Submit; the rest is safe
// for concurrent use.
type Pane struct {
	server *Server
	id     string
}

// ID returns tmux's name of the pane, %N.
func (p *Pane) ID() string { return p.id }

// Target implements Runner.
func (p *Pane) Target() (id string, joined bool) { return p.id, p.server.opts.Join }

// Run implements Runner.
func (p *Pane) Run(ctx context.Context, compose func(token string) string) (string, error) {
	r, err := p.server.transport.do(ctx, compose)
	return r.text, err
}

// Pause waits for d, or until ctx ends.
func (p *Pane) Pause(ctx context.Context, d time.Duration) error { return wait.Pause(ctx, d) }

func (p *Pane) check() error { return checkPane(p.id) }

// Info describes the pane. It fails with ErrNoPane if the pane does not exist.
func (p *Pane) Info(ctx context.Context) (PaneInfo, error) {
	if err := p.check(); err != nil {
		return PaneInfo{}, err
	}

	r, err := p.server.transport.do(ctx, func(token string) string {
		return "display-message -p -t " + p.id + " " + quote(token+" "+paneFormat+"|"+progressFormat(p.Target()))
	})
	if err != nil {
		return PaneInfo{}, fmt.Errorf("look at pane %s: %w", p.id, err)
	}

	// In a pane that has gone the formats expand to nothing.
	if !strings.HasPrefix(r.text, p.id+"|") {
		return PaneInfo{}, fmt.Errorf("look at pane %s: %w", p.id, ErrNoPane)
	}

	last := strings.LastIndexByte(r.text, '|')
	info, err := parsePane(r.text[:last])
	info.Seq, info.Phase = parseProgress(r.text[last+1:])
	p.server.remind(info)

	return info, err
}

// Resize sets the size of the pane's window, in columns and rows, such as the launch
// size for one that was Resized. The next terminal that attaches resizes it as before.
func (p *Pane) Resize(ctx context.Context, width, height int) error {
	if err := p.check(); err != nil {
		return err
	}
	_, err := p.server.run(ctx,
		fmt.Sprintf("resize-window -t %s -x %d -y %d", p.id, width, height),
		"set-option -w -u -t "+p.id+" window-size")
	if err != nil {
		return fmt.Errorf("resize pane %s: %w", p.id, err)
	}
	return nil
}

// lastBuffer and lastColours begin the names of the buffers with the last screen of a dead pane.
const (
	lastBuffer  = "parley-last-"
	lastColours = "parley-last-colours-"
)

// rowsOption holds how many rows a dead pane had: a person who comes later may change its size.
const rowsOption = "@parley_rows"

// lastHistory is how many rows above the last screen are kept with it.
const lastHistory = 200

// crashesOnFocus reports whether the server crashes, with all its panes, when a person comes to a dead pane or
// leaves it whose program had asked for focus events: it writes them to a terminal that is gone. 3.5 does not
// any more (tmux's issue 3776). Seen with 3.3a.
func (v Version) crashesOnFocus() bool { return !v.AtLeast(3, 5) }

// lastLines returns what a dead pane showed before it was reset: at most history rows, and then as many as the
// pane had. ok is false if that is not kept.
func (p *Pane) lastLines(ctx context.Context, opts ScreenOptions) (lines []string, rows int, ok bool) {
	if p.server.opts.Join || opts.History > lastHistory || !p.server.Version().crashesOnFocus() {
		return nil, 0, false
	}

	buffer := lastBuffer
	if opts.Colours {
		buffer = lastColours
	}
	lines, err := p.server.run(ctx,
		"display-message -p -t "+p.id+" '#{"+rowsOption+"}'", "show-buffer -b "+buffer+p.id)
	if err != nil || len(lines) == 0 {
		return nil, 0, false
	}

	rows = number(lines[0])
	lines = shownLines(lines[1:])

	return lines[max(0, len(lines)-rows-opts.History):], rows, true
}

// forgetLast deletes what is kept of the dead panes of a session, which has this id.
func (s *Server) forgetLast(ctx context.Context, session string) {
	if !s.Version().crashesOnFocus() {
		return
	}

	panes, _ := s.run(ctx, "list-panes -s -t "+quote(session+":")+" -f '#{pane_dead}' -F '#{pane_id}'")
	for _, pane := range panes {
		_, _ = s.run(ctx, "delete-buffer -b "+lastBuffer+pane) // it may not be there yet
		_, _ = s.run(ctx, "delete-buffer -b "+lastColours+pane)
	}
}

// resetTheDead returns the commands with which such a server resets each pane when it dies, so that nobody
// tells it of focus. What it showed is kept in buffers.
func resetTheDead(v Version) []string {
	if !v.crashesOnFocus() {
		return nil
	}
	const pane = "#{hook_pane}"
	from := " -S -" + strconv.Itoa(lastHistory) + " -t " + pane
	reset := "capture-pane -b " + lastBuffer + pane + from +
		" ; capture-pane -e -b " + lastColours + pane + from +
		" ; set-option -p -t " + pane + " " + rowsOption + " #{pane_height}" +
		" ; send-keys -R -t " + pane
	return []string{"set-hook -g pane-died " + quote("run-shell -C "+quote(reset))}
}
