package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// palette is the list of all that can be done: the keys of the screen, and every
// operation with its arguments.
type palette struct {
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
	key   string // that does it as well
	run   func(*model) tea.Cmd
	op    *parley.Op
}

// choices are the actions of the shown screen and the shell, then the operations.
func (m *model) choices() []choice {
	var all []choice
	for _, s := range []scope{screenScope(m.at), inShell} {
		for _, b := range bindings() {
			if b.scope == s && b.name != "" {
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

func (m *model) openPalette() tea.Cmd {
	m.palette = palette{open: true}
	m.seek()
	return nil
}

// seek finds what the line means, the best first.
func (m *model) seek() {
	p := &m.palette
	p.found, p.sel, p.err = nil, 0, nil
	type scored struct {
		choice
		score int
	}

	var found []scored
	for _, c := range m.choices() {
		if n := fuzzy(string(p.line), c.name); n > 0 {
			found = append(found, scored{c, n + 1000})
		} else if strings.Contains(strings.ToLower(c.about), strings.ToLower(string(p.line))) {
			found = append(found, scored{c, 0})
		}
	}

	slices.SortStableFunc(found, func(a, b scored) int { return b.score - a.score })
	for _, f := range found {
		p.found = append(p.found, f.choice)
	}
}

// fuzzy scores how well the letters of a query stand in a text, in order: 0 when
// they do not. Letters in a row and at the beginnings of words count for more.
func fuzzy(query, text string) int {
	score, run, at := 1, 0, 0
	letters := []rune(strings.ToLower(text))
	for _, q := range strings.ToLower(query) {
		if unicode.IsSpace(q) || q == '_' {
			continue
		}

		i := slices.Index(letters[at:], q)
		if i < 0 {
			return 0
		}
		if run++; i > 0 {
			run = 1
		}

		score += 2 * run
		if j := at + i; j == 0 || !unicode.IsLetter(letters[j-1]) {
			score += 8
		}

		score -= min(i, 5)
		at += i + 1
	}

	return max(1, score*10-len(letters)/4)
}

func paletteMove(n int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { m.palette.move(n); return nil }
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
func (m *model) choose() tea.Cmd {
	p := &m.palette
	if p.op != nil {
		return m.callOp()
	}
	if p.sel >= len(p.found) {
		return nil
	}

	c := p.found[p.sel]
	if c.op == nil {
		p.open = false
		return c.run(m)
	}

	m.openOp(c.op)

	return nil
}

// openOp asks for an operation's arguments; what the marker stands on is filled
// in.
func (m *model) openOp(op *parley.Op) {
	s := m.screen().about()
	var args []string
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
			args = append(args, f.Name+"="+value)
		}
	}

	text := strings.Join(args, " ")
	if text != "" {
		text += " "
	}

	m.palette = palette{open: true, op: op, line: line(text)}
}

// leavePalette goes back to the choice, or away.
func (m *model) leavePalette() tea.Cmd {
	if m.palette.op == nil {
		m.palette.open = false
		return nil
	}
	return m.openPalette()
}

// typeInPalette takes a key that is text.
func (m *model) typeInPalette(key tea.KeyPressMsg) {
	if m.palette.line.press(key); m.palette.op == nil {
		m.seek()
	}
}

// complete writes the name under the marker, or that of the next argument.
func (m *model) complete() tea.Cmd {
	p := &m.palette
	if p.op == nil {
		return m.choose()
	}
	for _, f := range p.op.Fields {
		if p.ask(f) {
			break
		}
	}
	return nil
}

// ask writes the name of an argument, unless that is there already.
func (p *palette) ask(f parley.Field) bool {
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
