package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// past is the page with the conversations that programs keep on this machine. What is written narrows it.
type past struct {
	room   *room.Shared
	form   *launchForm
	open   bool
	line   kit.Line
	asking bool // an answer is on its way
	asked  string
	found  *parley.ListSessionsResult // nil before the first answer
	err    error
	sel    int
	top    int
}

type pastMsg struct {
	found *parley.ListSessionsResult
	err   error
}

// mostPast is how many conversations are listed.
const mostPast = 100

func (p *past) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.move(n); return nil }
	}
	return []kit.Binding{
		verb.Accept.To("launch an agent that goes on with it", p.choose).Hinted("take up"),
		verb.LineDown.To("next", by(1)).Hinted("next"),
		verb.LineUp.To("previous", by(-1)),
		verb.Close.To("close", p.leave).Hinted("close"),
	}
}

func (p *past) start() tea.Cmd {
	p.open, p.line, p.found, p.sel = true, "", nil, 0
	return p.ask()
}

// ask asks for what is written, once the answer before has come.
func (p *past) ask() tea.Cmd {
	if p.asking {
		return nil
	}
	p.asking, p.asked = true, string(p.line)
	req := parley.ListSessionsRequest{Query: strings.TrimSpace(p.asked), Limit: mostPast}
	return p.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ListSessions.Call(ctx, s, req)
		return pastMsg{res, err}
	})
}

// take takes an answer, and asks again if something else is written now.
func (p *past) take(msg pastMsg) tea.Cmd {
	if p.asking, p.err = false, msg.err; msg.err == nil {
		p.found = msg.found
		p.move(0)
	}
	if p.open && p.asked != string(p.line) {
		return p.ask()
	}
	return nil
}

func (p *past) press(key tea.KeyPressMsg) tea.Cmd {
	p.line.Press(key)
	return p.ask()
}

func (p *past) insert(text string) tea.Cmd {
	p.line.Insert(text)
	return p.ask()
}

func (p *past) sessions() []parley.KeptSession {
	if p.found == nil {
		return nil
	}
	return p.found.Sessions
}

func (p *past) move(n int) { p.sel = kit.Clamp(p.sel+n, 0, max(0, len(p.sessions())-1)) }

// choose writes the conversation under the marker into the form of a launch.
func (p *past) choose() tea.Cmd {
	all := p.sessions()
	if len(all) == 0 {
		return nil
	}
	s := all[p.sel]
	switch {
	case s.Agent != "":
		p.room.Tell("That is the conversation of " + kit.SafeLine(s.Agent) + ".")
		return nil
	case s.Refused != "":
		p.room.Tell("Cannot be taken up: " + kit.SafeLine(s.Refused) + ".")
		return nil
	}
	p.open = false
	return p.form.startWith(s)
}

func (p *past) leave() tea.Cmd {
	p.open = false
	return nil
}

func (p *past) settle(h int) { p.top = kit.Window(p.top, p.sel, len(p.sessions()), h-4) }

func (p *past) written(w int) string { return "  words: " + kit.Tail(string(p.line), w-10) }

func (p *past) view(w, h int) []string {
	th := p.room.Theme
	lines := []string{th.Rule("Conversations from before", p.note(), w, true), p.written(w)}
	if p.err != nil {
		lines = append(lines, room.ErrorLines(th, p.err, w)...)
	}

	all := p.sessions()
	if p.found != nil && len(all) == 0 {
		lines = append(lines, th.Dim.Render("  No conversation was found."))
	}
	for i := p.top; i < min(len(all), p.top+h-4); i++ {
		lines = append(lines, p.row(&all[i], i == p.sel, w))
	}
	if p.sel < len(all) {
		lines = append(lines, th.Dim.Render(kit.Fit("  "+about(&all[p.sel]), w)))
	}
	return kit.Clip(lines, h)
}

// note says how much was found, and whether that is all.
func (p *past) note() string {
	switch {
	case p.err != nil:
		return "not looked at"
	case p.found == nil:
		return "looking…"
	}
	note := fmt.Sprint(len(p.found.Sessions))
	if p.found.More {
		note += " newest"
	}
	if p.found.Read < p.found.Of {
		note += fmt.Sprintf(" · %d of %d read", p.found.Read, p.found.Of)
	}
	return note
}

// row draws a conversation: how old it is, its program, its directory, and what was said first.
func (p *past) row(s *parley.KeptSession, marked bool, w int) string {
	const age, program = 5, 9
	dir := min(30, w/4)
	mark, first := "  ", p.room.Theme.Plain.Render(kit.SafeLine(s.First))
	if marked {
		mark, first = p.room.Theme.Accent.Render("▸ "), p.room.Theme.Strong.Render(kit.SafeLine(s.First))
	}
	facts := kit.Pad(kit.Since(s.LastActive, p.room.Now), age) + kit.Pad(kit.SafeLine(s.Program), program) +
		kit.Pad(kit.Tail(kit.SafeLine(s.Dir), dir-1), dir)
	return kit.Fit(mark+p.room.Theme.Dim.Render(facts)+first, w)
}

// about says more of the conversation under the marker.
func about(s *parley.KeptSession) string {
	words := []string{s.Short}
	if s.Agent != "" {
		words = append(words, "the conversation of "+s.Agent)
	}
	for _, more := range []string{s.Branch, s.Refused, s.Found} {
		if more != "" {
			words = append(words, more)
		}
	}
	return kit.SafeLine(strings.Join(words, " · "))
}
