package tmux

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// lookBuffer is the buffer through which a screen is read where printing it leaks.
const lookBuffer = "parley-look"

// leaksCaptures reports whether the server keeps for ever what capture-pane prints to a control client.
// 3.3 and 3.3a do: 63 kB for each message into a screen with 60 rows of text. Measured with 3.3a.
func (v Version) leaksCaptures() bool { return v.Text == "3.3" || v.Text == "3.3a" }

// capture returns the commands that print a pane's text, and what makes lines of their output. On a
// joined server each command has a client of its own, to which tmux prints as it is and frees it.
func (s *Server) capture(pane, flags string) (commands []string, decode func([]string) []string) {
	if s.opts.Join || !s.Version().leaksCaptures() {
		return []string{"capture-pane -p -t " + pane + flags}, slices.Clone[[]string]
	}
	return []string{
		"capture-pane -b " + lookBuffer + " -t " + pane + flags,
		"show-buffer -b " + lookBuffer,
		"delete-buffer -b " + lookBuffer,
	}, shownLines
}

// Screen reads the pane. One command line takes both text and cursor, so they agree.
// Screen fails with ErrNoPane if the pane does not exist.
func (p *Pane) Screen(ctx context.Context, opts ScreenOptions) (Screen, error) {
	if err := p.check(); err != nil {
		return Screen{}, err
	}

	capture, decode := p.server.capture(p.id, opts.flags())
	facts := "display-message -p -t " + p.id + " " + quote(screenFormat)
	lines, err := p.server.run(ctx, append([]string{facts}, capture...)...)
	if err != nil {
		return Screen{}, fmt.Errorf("read pane %s: %w", p.id, err)
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], p.id+"|") {
		return Screen{}, fmt.Errorf("read pane %s: %w", p.id, ErrNoPane)
	}

	screen, err := parseScreen(lines[0], decode(lines[1:]), opts)
	if err == nil && screen.Dead {
		if last, rows, ok := p.lastLines(ctx, opts); ok {
			opts.History = max(0, len(last)-rows)
			return parseScreen(lines[0], last, opts)
		}
	}

	return screen, err
}
