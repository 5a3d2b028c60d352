package tmux

import (
	"context"
	"strconv"
)

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
