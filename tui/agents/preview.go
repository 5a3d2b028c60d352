package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// previewEvery is how often the terminal is read: a person sees it move, and the
// daemon hardly notices.
const previewEvery = 700 * time.Millisecond

// preview is an agent's terminal beside the list.
type preview struct {
	shut   bool // the operator closed it
	forced bool // the operator opened it where there is little room
	id     string
	turn   int // counts the requests: the answer to an older one comes too late
	screen *parley.ReadTerminalResult
	err    error
}

// terminalMsg is the contents of a terminal.
type terminalMsg struct {
	turn   int
	screen *parley.ReadTerminalResult
	err    error
}

func readTerminal(id string, turn int, colours bool) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id, Colours: colours})
		return terminalMsg{turn: turn, screen: res, err: err}
	}
}

const (
	leastView = 6  // lines that it needs to be of use
	goodView  = 10 // lines that it takes even in a low window, if the list leaves them free
)

// open reports whether there is room for it, on a screen of h lines of which the
// list leaves some free, and the operator did not close it.
func (p *preview) open(t kit.Tier, h, free int) bool {
	return !p.shut && (p.forced || t >= kit.Wide || h >= 20 || free >= goodView)
}

// toggle closes it if it is seen, else opens it.
func (p *preview) toggle(seen bool) {
	p.shut, p.forced, p.id = seen, !seen, ""
}

func (p *preview) view(th kit.Theme, s *parley.AgentStatus, w, h int) []string {
	if s == nil {
		return nil
	}

	name, note := s.Name, ""
	if p.screen != nil && p.id == s.ID {
		note = fmt.Sprintf("live, %d×%d", p.screen.Width, p.screen.Height)
		if !s.State.Live() {
			note = "last screen" + note[len("live"):]
		}
	}

	if s.Dir != "" {
		name += "  " + kit.SafeLine(s.Dir)
	}

	lines := []string{th.Rule(name, note, w, false)}
	switch {
	case s.Kind != parley.KindTerminal:
		return append(lines, kit.Indent(kit.Wrap(s.Name+" has no terminal: it reads its messages over the API.", w-2), 2)...)
	case !team.Readable(s) || p.err != nil && !s.State.Live():
		return append(lines, kit.Indent(kit.Wrap("Its program is not running. R restarts it.", w-2), 2)...)
	case p.err != nil && p.id == s.ID:
		return append(lines, room.ErrorLines(th, p.err, w)...)
	case p.screen == nil || p.id != s.ID:
		return append(lines, "  "+th.Dim.Render(kit.Fit("Reading…", w-2)))
	}

	shown := SafeScreen(p.screen.Lines, w)
	if len(shown) >= h {
		shown = squeezed(shown)
	}

	return append(lines, shown[max(0, len(shown)-h+1):]...)
}

// squeezed drops the blank lines at a screen's end, and all but one of consecutive
// ones. A program that draws at the top, or has ended, is then seen where there is
// room for a part only.
func squeezed(lines []string) []string {
	var out []string
	blanks := 0
	for _, line := range lines {
		if blanks++; strings.TrimSpace(ansi.Strip(line)) != "" {
			if blanks > 1 && len(out) > 0 {
				out = append(out, "")
			}
			out, blanks = append(out, line), 0
		}
	}
	return out
}

// SafeScreen returns the lines of a foreign terminal with their text and colours,
// each at most w columns wide, and drops all other sequences. What reorders a text or is invisible
// in it shows its number. A colour continues
// over the end of a line, so each line repeats those that hold.
func SafeScreen(lines []string, w int) []string {
	out := make([]string, 0, len(lines))
	open := "" // the styles that still hold
	for _, line := range lines {
		var b strings.Builder
		b.WriteString(open)
		var state byte
		for rest := line; rest != ""; {
			seq, _, n, next := ansi.DecodeSequence(rest, state, nil)
			state, rest = next, rest[n:]
			switch {
			case isStyle(seq):
				if open += seq; strings.HasSuffix(seq, "[m") || strings.HasSuffix(seq, "[0m") || len(open) > maxStyle {
					open = ""
				}
				b.WriteString(seq)
			case seq == "\t":
				b.WriteString("    ")
			case seq[0] >= 0x20 && seq[0] != 0x7f:
				b.WriteString(kit.Visible(parley.Reveal(seq)))
			}
		}

		text := kit.Fit(b.String(), w)
		if strings.Contains(text, "\x1b") {
			text += "\x1b[m"
		}

		out = append(out, text)
	}

	return out
}

// maxStyle bounds how many bytes of styles are carried from line to line.
const maxStyle = 200

// isStyle reports whether a sequence only sets colours and the like.
func isStyle(seq string) bool {
	if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") || len(seq) > 64 {
		return false
	}
	return strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
}
