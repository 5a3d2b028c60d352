package agents

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// previewEvery is how often the terminal is read: a person sees it move, and the
// daemon hardly notices.
const previewEvery = 700 * time.Millisecond

// preview is an agent's terminal beside the list.
type preview struct {
	room    *room.Shared
	colours bool // of terminals are shown
	shut    bool // the operator closed it
	forced  bool // the operator opened it where there is little room
	seen    bool // it is drawn
	id      string
	turn    int // counts the requests: the answer to an older one comes too late
	screen  *parley.ReadTerminalResult
	err     error
	shown   *wrapped
}

type terminalMsg struct {
	turn   int
	screen *parley.ReadTerminalResult
	err    error
}

func readTerminal(id string, turn int, colours bool) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ReadTerminal.Call(ctx, s, parley.ReadTerminalRequest{Agent: id, Colours: colours})
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
func (p *preview) toggle() { p.shut, p.forced, p.id = p.seen, !p.seen, "" }

// look reads the terminal of the agent under the marker, while that is shown.
func (p *preview) look(s *parley.AgentStatus, after time.Duration) tea.Cmd {
	p.turn++
	switch {
	case p.room.At != room.AtAgents || p.shut || s == nil:
		p.id = ""
		return nil
	case !team.Readable(s):
		return nil
	}
	return p.room.Do.Later(after, readTerminal(s.ID, p.turn, p.colours))
}

// turnTo forgets the terminal of another agent, and reports whether it did.
func (p *preview) turnTo(id string) bool {
	if p.id == id || p.shut {
		return false
	}
	p.id, p.screen, p.err = id, nil, nil
	return true
}

// take takes what the newest request has read, and reports whether msg is that.
func (p *preview) take(msg terminalMsg) bool {
	if msg.turn != p.turn {
		return false
	}
	p.screen, p.err = msg.screen, msg.err
	return true
}

// view draws the terminal of an agent, below a title with what else is known of it.
func (p *preview) view(s *parley.AgentStatus, facts []string, w, h int) []string {
	if s == nil {
		return nil
	}

	note := ""
	if p.screen != nil && p.id == s.ID {
		note = fmt.Sprintf("live, %d×%d", p.screen.Width, p.screen.Height)
		if !s.State.Live() {
			note = "last screen" + note[len("live"):]
		}
	}

	title := s.Name
	if known := kit.Columns(facts, " · ", w-kit.Width(title)-kit.Width(note)-9); known != "" {
		title += "  " + known
	}

	lines := []string{p.room.Theme.Rule(title, note, w, false)}
	switch {
	case s.Kind != parley.KindTerminal:
		text := s.Name + " has no terminal: it reads its messages over the API."
		return append(lines, kit.Indent(kit.Wrap(text, w-2), 2)...)
	case !team.Readable(s) || p.err != nil && !s.State.Live():
		return append(lines, kit.Indent(kit.Wrap("Its program is not running. R restarts it.", w-2), 2)...)
	case p.err != nil && p.id == s.ID:
		return append(lines, room.ErrorLines(p.room.Theme, p.err, w)...)
	case p.screen == nil || p.id != s.ID:
		return append(lines, "  "+p.room.Theme.Dim.Render(kit.Fit("Reading…", w-2)))
	}

	shown := p.shown.in(p.screen, w)
	if len(shown) >= h {
		shown = squeezed(shown)
	}

	return append(lines, shown[max(0, len(shown)-h+1):]...)
}
