package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// paletteHead are the lines above the list: the title, and the line that is
// being written.
const paletteHead = 2

func (p *palette) settle(w, h int) {
	p.height = h - paletteHead
	if p.op != nil {
		p.top = clamp(p.top, 0, max(0, len(p.argumentLines(w))-p.height))
		return
	}
	p.sel = clamp(p.sel, 0, max(0, len(p.found)-1))
	p.top = window(p.top, p.sel, len(p.found), p.height)
}

// written returns the line as it is shown, with its end in sight.
func (p *palette) written(w int) string {
	prompt := ":"
	if p.op != nil {
		prompt += p.op.Name + " "
	}
	return prompt + tail(string(p.line), max(0, w-width(prompt)-1))
}

func (p *palette) view(w, h int) []string {
	title, note := "Run a command", plural(len(p.found), "command")
	var rows []string
	switch {
	case p.op != nil:
		title, note = p.op.Name, ""
		arguments := p.argumentLines(w)
		if more := len(arguments) - p.top - p.height; more > 0 {
			note = plural(more, "more line")
		}
		rows = arguments[clamp(p.top, 0, len(arguments)):]
	case len(p.found) == 0:
		rows = []string{"  " + p.theme.dim.Render(fit("No command matches. backspace, or esc.", w-2))}
	default:
		rows = p.choiceLines(w)
	}

	if p.busy {
		note = "running…"
	}

	return clip(append([]string{p.theme.rule(title, note, w, true), p.written(w)}, rows...), h)
}

func (p *palette) choiceLines(w int) []string {
	name := 12
	for _, c := range p.found {
		name = max(name, width(c.name))
	}

	name = min(name, w/2)

	var lines []string
	for i := p.top; i < min(p.top+p.height, len(p.found)); i++ {
		c := p.found[i]
		left := pad(c.name, name) + " " + pad(c.key, 6) + " "
		about := fit(c.about, w-width(left)-2)
		if i == p.sel {
			lines = append(lines, p.theme.focus.Render(pad("▸ "+left+about, w)))
			continue
		}

		lines = append(lines, "  "+left+p.theme.dim.Render(about))
	}

	return lines
}

// argumentLines describe an operation's arguments, and say what was wrong with
// those given.
func (p *palette) argumentLines(w int) []string {
	var lines []string
	if p.err != nil {
		lines = append(lines, errorLines(p.theme, p.err, w)...)
	}

	for _, line := range wrap(p.op.Summary, w-2) {
		lines = append(lines, "  "+p.theme.dim.Render(line))
	}

	lines = append(lines, "")
	name := 8
	for _, f := range p.op.Fields {
		name = max(name, width(f.Name))
	}

	for _, f := range p.arguments() {
		doc := f.Doc
		if len(f.Enum) > 0 {
			doc += fmt.Sprintf(" (%s)", strings.Join(f.Enum, ", "))
		}

		style, mark := p.theme.plain, "  "
		if f.Required {
			style, mark = p.theme.strong, "* "
		}

		lines = append(lines, mark+style.Render(pad(f.Name, name))+"  "+p.theme.dim.Render(fit(doc, w-name-4)))
	}

	return lines
}

// arguments returns those of the operation, the required ones first. Each takes
// one line, and they are the last lines of all.
func (p *palette) arguments() []parley.Field {
	rank := map[bool]int{true: -1}
	return slices.SortedStableFunc(slices.Values(p.op.Fields), func(a, b parley.Field) int {
		return rank[a.Required] - rank[b.Required]
	})
}

// point marks a row. A click on the marked one does it, as enter does; a click on
// an argument writes its name.
func (p *palette) point(at pointer) tea.Cmd {
	row := p.top + at.y - paletteHead
	switch {
	case at.wheel != 0:
		p.move(at.wheel)
	case at.y < paletteHead || at.y >= at.h || at.x >= at.w:
	case p.op != nil:
		fields := p.arguments()
		if i := row - len(p.argumentLines(at.w)) + len(fields); i >= 0 && i < len(fields) {
			p.addArgument(fields[i])
		}
	case row < len(p.found) && row == p.sel:
		return p.choose()
	case row < len(p.found):
		p.sel = row
	}

	return nil
}
