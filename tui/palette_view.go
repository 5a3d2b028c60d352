package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// paletteHead are the lines above the list: the title, and the line that is
// being written.
const paletteHead = 2

func (p *palette) settle(w, h int) {
	p.height = h - paletteHead
	if p.op != nil {
		p.top = kit.Clamp(p.top, 0, max(0, len(p.argumentLines(w))-p.height))
		return
	}
	p.sel = kit.Clamp(p.sel, 0, max(0, len(p.found)-1))
	p.top = kit.Window(p.top, p.sel, len(p.found), p.height)
}

// written returns the line as it is shown, with its end in sight.
func (p *palette) written(w int) string {
	prompt := p.list.prompt
	if p.op != nil {
		prompt = ":" + p.op.Name + " "
	}
	return prompt + kit.Tail(string(p.line), max(0, w-kit.Width(prompt)-1))
}

func (p *palette) view(w, h int) []string {
	title, note := p.list.title, ""
	var rows []string
	switch {
	case p.op != nil:
		title = p.op.Name
		arguments := p.argumentLines(w)
		if more := len(arguments) - p.top - p.height; more > 0 {
			note = kit.Plural(more, "more line")
		}
		rows = arguments[kit.Clamp(p.top, 0, len(arguments)):]
	case len(p.found) == 0:
		note = p.list.count(nil)
		rows = []string{"  " + p.room.Theme.Dim.Render(kit.Fit(p.list.none(string(p.line)), w-2))}
	default:
		note, rows = p.list.count(p.found), p.choiceLines(w)
	}

	if p.busy {
		note = "running…"
	}

	return kit.Clip(append([]string{p.room.Theme.Rule(title, note, w, true), p.written(w)}, rows...), h)
}

func (p *palette) choiceLines(w int) []string {
	name := 12
	for _, c := range p.found {
		name = max(name, kit.Width(c.name))
	}

	name = min(name, w/2)

	var lines []string
	for i := p.top; i < min(p.top+p.height, len(p.found)); i++ {
		c := p.found[i]
		left := kit.Pad(c.name, name) + " " + kit.Pad(c.key, p.list.keys) + " "
		about := kit.Fit(c.about, w-kit.Width(left)-2)
		if i == p.sel {
			lines = append(lines, p.room.Theme.Focus.Render(kit.Pad("▸ "+left+about, w)))
			continue
		}

		lines = append(lines, "  "+left+p.room.Theme.Dim.Render(about))
	}

	return lines
}

// argumentLines describe an operation's arguments, and say what was wrong with
// those given.
func (p *palette) argumentLines(w int) []string {
	var lines []string
	if p.err != nil {
		lines = append(lines, room.ErrorLines(p.room.Theme, p.err, w)...)
	}

	for _, line := range kit.Wrap(p.op.Summary, w-2) {
		lines = append(lines, "  "+p.room.Theme.Dim.Render(line))
	}

	lines = append(lines, "")
	name := 8
	for _, f := range p.op.Fields {
		name = max(name, kit.Width(f.Name))
	}

	for _, f := range argumentsOf(p.op) {
		doc := f.Doc
		if len(f.Enum) > 0 {
			doc += fmt.Sprintf(" (%s)", strings.Join(f.Enum, ", "))
		}

		style, mark := p.room.Theme.Plain, "  "
		if f.Required {
			style, mark = p.room.Theme.Strong, "* "
		}

		lines = append(lines, mark+style.Render(kit.Pad(f.Name, name))+"  "+p.room.Theme.Dim.Render(kit.Fit(doc,
			w-name-4)))
	}

	return lines
}

// argumentsOf returns the arguments of an operation, the required ones first. Each takes
// one line, and they are the last lines of all.
func argumentsOf(o *op.Op) []op.Field {
	rank := map[bool]int{true: -1}
	return slices.SortedStableFunc(slices.Values(o.Fields), func(a, b op.Field) int {
		return rank[a.Required] - rank[b.Required]
	})
}

// point marks a row. A click on the marked one does it, as enter does; a click on
// an argument writes its name.
func (p *palette) point(at kit.Pointer) tea.Cmd {
	row := p.top + at.Y - paletteHead
	switch {
	case at.Wheel != 0:
		p.move(at.Wheel)
	case at.Y < paletteHead || at.Y >= at.H || at.X >= at.W:
	case p.op != nil:
		fields := argumentsOf(p.op)
		if i := row - len(p.argumentLines(at.W)) + len(fields); i >= 0 && i < len(fields) {
			p.addArgument(fields[i])
		}
	case row < len(p.found) && row == p.sel:
		return p.choose()
	case row < len(p.found):
		p.sel = row
	}

	return nil
}
