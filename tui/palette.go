package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// palette lists everything that can be done: the keys of the screen, and every
// operation with its arguments.
type palette struct {
	*shared
	keymap *keymap
	open   bool
	line   line
	found  []choice
	sel    int
	top    int // the first row, or line of the arguments, in view
	height int
	op     *parley.Op // whose arguments are being written; nil while one chooses
	busy   bool
	err    error
}

// choice is something that can be done.
type choice struct {
	name  string
	about string
	key   string // does it as well; "" for an operation
	run   func() tea.Cmd
	op    *parley.Op
}

func (p *palette) keys() []binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.move(n); return nil }
	}

	return []binding{
		bind("enter", "run it", p.choose).hinted("run"),
		bind("↓ ctrl+n", "next; scroll the arguments", by(1)).
			hinted("next").unless(func() bool { return p.op != nil }),
		bind("↑ ctrl+p", "previous; scroll back", by(-1)),
		bind("tab", "choose it; then the next argument", p.complete).hinted("complete"),
		bind("esc", "back, then close", p.leave, "ctrl+c").hinted("back"),
	}
}

// choices returns the actions of the shown screen and the shell, then the
// operations.
func (p *palette) choices() []choice {
	var all []choice
	for _, s := range []scope{screenScope(p.at), inShell} {
		for _, b := range p.keymap.in(s) {
			if b.name != "" {
				key, _, _ := strings.Cut(b.show, " ")
				all = append(all, choice{name: b.name, about: b.does, key: key, run: b.run})
			}
		}
	}

	for _, op := range parley.Ops {
		if !op.Program {
			all = append(all, choice{name: op.Name, about: op.Summary, op: op})
		}
	}

	return all
}

func (p *palette) start() tea.Cmd {
	p.reset(nil, "")
	p.seek()
	return nil
}

// reset opens the palette, at the choice or at an operation's arguments.
func (p *palette) reset(op *parley.Op, text string) {
	*p = palette{shared: p.shared, keymap: p.keymap, open: true, op: op, line: line(text)}
}

// seek finds what the line means, the best match first.
func (p *palette) seek() {
	p.found, p.sel, p.err = nil, 0, nil
	query := string(p.line)
	scores := map[string]int{}
	for _, c := range p.choices() {
		if n := fuzzy(query, c.name); n > 0 {
			scores[c.name] = n
		} else if !strings.Contains(strings.ToLower(c.about), strings.ToLower(query)) {
			continue
		}
		p.found = append(p.found, c)
	}

	slices.SortStableFunc(p.found, func(a, b choice) int { return scores[b.name] - scores[a.name] })
}

// move goes n rows down, or scrolls the arguments.
func (p *palette) move(n int) {
	if p.op != nil {
		p.top += n
		return
	}
	p.sel = clamp(p.sel+n, 0, max(0, len(p.found)-1))
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
func (p *palette) openOp(op *parley.Op) {
	s := p.about()
	var text strings.Builder
	for _, f := range op.Fields {
		value := ""
		switch f.Name {
		case "message_id", "message_ids":
			value = s.message
		case "agent", "conversation_with", "agent_id_to_add", "agent_id_to_remove":
			if s.agent != nil {
				value = s.agent.Name
			}
		case "to":
			value = s.partner
		case "thread_id":
			if s.thread != nil {
				value = s.thread.ID
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
	if p.line.press(key); p.op == nil {
		p.seek()
	}
}

func (p *palette) insert(text string) {
	if p.line.insert(text); p.op == nil {
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
func (p *palette) addArgument(f parley.Field) bool {
	if strings.Contains(" "+string(p.line), " "+f.Name+"=") {
		return false
	}
	p.line = line(strings.TrimRight(string(p.line), " "))
	if p.line != "" {
		p.line += " "
	}
	p.line += line(f.Name + "=")
	return true
}
