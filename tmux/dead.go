package tmux

import "context"

// lastBuffer and lastColours begin the names of the buffers with the last screen of a dead pane.
const (
	lastBuffer  = "parley-last-"
	lastColours = "parley-last-colours-"
)

// crashesOnFocus reports whether the server crashes, with all its panes, when a person comes to a dead pane or
// leaves it whose program had asked for focus events: it writes them to a terminal that is gone. 3.5 does not
// any more (tmux's issue 3776). Seen with 3.3a.
func (v Version) crashesOnFocus() bool { return !v.AtLeast(3, 5) }

// resetTheDead returns the commands with which such a server resets each pane when it dies, so that nobody
// tells it of focus. What it showed is kept in buffers.
func resetTheDead(v Version) []string {
	if !v.crashesOnFocus() {
		return nil
	}
	const pane = "#{hook_pane}"
	reset := "capture-pane -b " + lastBuffer + pane + " -t " + pane +
		" ; capture-pane -e -b " + lastColours + pane + " -t " + pane +
		" ; send-keys -R -t " + pane
	return []string{"set-hook -g pane-died " + quote("run-shell -C "+quote(reset))}
}

// lastLines returns what a dead pane showed before it was reset. ok is false if nothing of that is kept.
func (p *Pane) lastLines(ctx context.Context, opts ScreenOptions) (lines []string, ok bool) {
	if p.server.opts.Join || opts.History > 0 || !p.server.Version().crashesOnFocus() {
		return nil, false
	}

	buffer := lastBuffer
	if opts.Colours {
		buffer = lastColours
	}
	lines, err := p.server.run(ctx, "show-buffer -b "+buffer+p.id)

	return shownLines(lines), err == nil
}

// forgetLast deletes what is kept of a session's dead panes.
func (s *Server) forgetLast(ctx context.Context, session string) {
	if !s.Version().crashesOnFocus() {
		return
	}

	panes, _ := s.run(ctx, "list-panes -s -t "+quote("="+session)+" -f '#{pane_dead}' -F '#{pane_id}'")
	for _, pane := range panes {
		_, _ = s.run(ctx, "delete-buffer -b "+lastBuffer+pane) // it may not be there yet
		_, _ = s.run(ctx, "delete-buffer -b "+lastColours+pane)
	}
}
