package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

func (p *palette) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.move(n); return nil }
	}

	return []kit.Binding{
		verb.Accept.To("run it, or go there", p.choose).Hinted("go"),
		verb.LineDown.To("next; scroll the arguments", by(1)).
			Hinted("next").Unless(func() bool { return p.op != nil }),
		verb.LineUp.To("previous; scroll back", by(-1)),
		verb.Complete.To("choose it; then the next argument", p.complete).Hinted("complete"),
		verb.Close.To("back, then close", p.leave).Hinted("back"),
	}
}

// start lists everything that can be done.
func (p *palette) start() tea.Cmd { return p.startWith(p.commands()) }

func (p *palette) startWith(l listing) tea.Cmd {
	p.reset(nil, "")
	p.list = l
	p.seek()
	return nil
}

// reset opens the palette, at the choice or at an operation's arguments.
func (p *palette) reset(op *op.Op, text string) {
	*p = palette{
		room: p.room, acts: p.acts, keymap: p.keymap, of: p.of,
		open: true, op: op, line: kit.Line(text),
	}
}

// seek finds what the line means, the best match first.
func (p *palette) seek() {
	p.sel, p.err, p.known = 0, nil, p.list.known()
	p.found = p.list.find(string(p.line))
}

// renew lists again when there is something else to list: the person may have been faster than the answers.
func (p *palette) renew() {
	if p.open && p.op == nil && p.known != p.list.known() {
		at := p.sel
		p.seek()
		p.sel = at
	}
}

// move goes n rows down, or scrolls the arguments.
func (p *palette) move(n int) {
	if p.op != nil {
		p.top += n
		return
	}
	p.sel = kit.Clamp(p.sel+n, 0, max(0, len(p.found)-1))
}

// choose does what is under the marker, or asks for its arguments.
func (p *palette) choose() tea.Cmd {
	if p.op != nil {
		return p.callOp()
	}
	if p.sel >= len(p.found) {
		return nil
	}

	c := p.found[p.sel]
	if c.op == nil {
		p.open = false
		return c.run()
	}

	p.openOp(c.op)

	return nil
}

// openOp asks for an operation's arguments. Required ones are filled in from the
// subject under the marker.
func (p *palette) openOp(op *op.Op) {
	s := p.room.About()
	var text strings.Builder
	for _, f := range op.Fields {
		value := ""
		switch f.Name {
		case "message_id", "message_ids":
			value = s.Message
		case "agent", "conversation_with", "agent_id_to_add", "agent_id_to_remove":
			if s.Agent != nil {
				value = s.Agent.Name
			}
		case "to":
			if op.Name != "handoff_agent" { // where it is a program
				value = s.Partner
			}
		case "thread_id":
			if s.Thread != nil {
				value = s.Thread.ID
			}
		}

		if f.Required && value != "" {
			text.WriteString(f.Name + "=" + value + " ")
		}
	}

	p.reset(op, text.String())
}

// leave goes back to the choice, or away.
func (p *palette) leave() tea.Cmd {
	if p.op == nil {
		p.open = false
		return nil
	}
	return p.start()
}

// press takes a key that is text.
func (p *palette) press(key tea.KeyPressMsg) {
	if p.line.Press(key); p.op == nil {
		p.seek()
	}
}

func (p *palette) insert(text string) {
	if p.line.Insert(text); p.op == nil {
		p.seek()
	}
}

// complete chooses what is under the marker, or writes the name of the next
// argument.
func (p *palette) complete() tea.Cmd {
	if p.op == nil {
		return p.choose()
	}
	for _, f := range p.op.Fields {
		if p.addArgument(f) {
			break
		}
	}
	return nil
}

// addArgument writes the name of an argument, unless it is there already.
func (p *palette) addArgument(f op.Field) bool {
	if strings.Contains(" "+string(p.line), " "+f.Name+"=") {
		return false
	}
	p.line = kit.Line(strings.TrimRight(string(p.line), " "))
	if p.line != "" {
		p.line += " "
	}
	p.line += kit.Line(f.Name + "=")
	return true
}

// palette lists everything that can be done: the keys of the screen, and every
// operation with its arguments.
type palette struct {
	acts   *room.Actions
	room   *room.Shared
	keymap *kit.Keymap
	of     finding // has all that one can go to by its name
	list   listing
	known  int // how much there was when it was listed
	open   bool
	line   kit.Line
	found  []choice
	sel    int
	top    int // the first row, or line of the arguments, in view
	height int
	op     *op.Op // whose arguments are being written; nil while one chooses
	busy   bool
	err    error
}

// choice is something that can be done.
type choice struct {
	name  string
	about string
	key   string // does it as well; the kind of what one goes to; "" for an operation
	run   func() tea.Cmd
	op    *op.Op
}
