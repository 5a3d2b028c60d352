package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// paletteHead are the lines above the list: the title, and the line that is written.
const paletteHead = 2

func (p *palette) settle(th theme, w, h int) {
	p.height = h - paletteHead
	if p.op != nil {
		p.top = clamp(p.top, 0, max(0, len(p.argumentLines(th, w))-p.height))
		return
	}
	p.sel = clamp(p.sel, 0, max(0, len(p.found)-1))
	p.top = window(p.top, p.sel, len(p.found), p.height)
}

// prompt is the line that is written, before its text.
func (p *palette) prompt() string {
	if p.op != nil {
		return ":" + p.op.Name + " "
	}
	return ":"
}

// written is the line as it is shown, its end always in sight.
func (p *palette) written(w int) string {
	room := max(0, w-width(p.prompt())-1)
	return p.prompt() + tail(string(p.line), room)
}

func (p *palette) view(th theme, w, h int) []string {
	title, note := "What shall be done?", plural(len(p.found), "thing")
	var arguments []string
	if p.op != nil {
		title, note = p.op.Name, ""
		arguments = p.argumentLines(th, w)
		if more := len(arguments) - p.top - p.height; more > 0 {
			note = plural(more, "more line")
		}
	}

	if p.busy {
		note = "asking…"
	}

	lines := []string{th.rule(title, note, w, true), p.written(w)}
	if p.op != nil {
		return clip(append(lines, arguments[clamp(p.top, 0, len(arguments)):]...), h)
	}
	if len(p.found) == 0 {
		return clip(append(lines, "  "+th.dim.Render(fit("Nothing is called so. backspace, or esc.", w-2))), h)
	}

	name := 12
	for _, c := range p.found {
		name = max(name, width(c.name))
	}

	name = min(name, w/2)
	for i := p.top; i < min(p.top+p.height, len(p.found)); i++ {
		c := p.found[i]
		left := pad(c.name, name) + " " + pad(c.key, 6) + " "
		about := fit(c.about, w-width(left)-2)
		if i == p.sel {
			lines = append(lines, th.focus.Render(pad("▸ "+left+about, w)))
			continue
		}

		lines = append(lines, "  "+left+th.dim.Render(about))
	}

	return clip(lines, h)
}

// argumentLines tell an operation's arguments, those that it must have first,
// and what was wrong with those given.
func (p *palette) argumentLines(th theme, w int) []string {
	var lines []string
	if p.err != nil {
		lines = append(lines, errorLines(th, p.err, w)...)
	}

	for _, line := range wrap(p.op.Summary, w-2) {
		lines = append(lines, "  "+th.dim.Render(line))
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

		style, mark := th.plain, "  "
		if f.Required {
			style, mark = th.strong, "* "
		}

		lines = append(lines, mark+style.Render(pad(f.Name, name))+"  "+th.dim.Render(fit(doc, w-name-4)))
	}

	return lines
}

// arguments are those of the operation, those that it must have first: a line each, the
// last of all.
func (p *palette) arguments() []parley.Field {
	fields := slices.Clone(p.op.Fields)
	slices.SortStableFunc(fields, func(a, b parley.Field) int {
		return map[bool]int{true: -1}[a.Required] - map[bool]int{true: -1}[b.Required]
	})
	return fields
}
