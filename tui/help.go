package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// help is the page of all keys, drawn from the table, or of an answer.
type help struct {
	open   bool
	from   place  // the screen from which one asks
	title  string // of another page: an answer
	text   string // its text; "" for the keys
	top    int
	height int
}

const helpColumn = 56 // columns that an entry needs to be read without a cut

func (h *help) lines(th theme, w int) []string {
	if h.text != "" {
		return indent(wrap(safeText(h.text), w-2), 2)
	}
	per := max(1, w/helpColumn)
	entry := w / per
	var lines []string
	for _, s := range h.order() {
		keys := grid(th, s, per, entry)
		if len(keys) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "  "+th.strong.Render(fit(scopeNames[s], w-2)))
		lines = append(lines, keys...)
	}
	return lines
}

// order is in which order the keys are told: first those of the screen from
// which one asks.
func (h *help) order() []scope {
	own := screenScope(h.from)
	return append([]scope{own}, slices.DeleteFunc(slices.Clone(scopes), func(s scope) bool { return s == own })...)
}

// grid sets a scope's keys into columns, reading down.
func grid(th theme, s scope, per, entry int) []string {
	var cells []string
	for _, b := range bindings() {
		if b.scope == s {
			cells = append(cells, "  "+th.accent.Render(pad(b.show, 12))+pad(b.does, entry-14))
		}
	}
	rows := (len(cells) + per - 1) / per
	lines := make([]string, rows)
	for i, cell := range cells {
		lines[i%rows] += cell
	}
	return lines
}

func (h *help) view(th theme, w int) []string {
	lines := h.lines(th, w)
	note := ""
	if more := len(lines) - h.top - h.height; more > 0 {
		note = plural(more, "more line")
	}
	name := "Keys"
	if h.text != "" {
		name = safeLine(h.title)
	}
	title := []string{th.rule(name, note, w, true)}
	return clip(append(title, lines[clamp(h.top, 0, len(lines)):]...), h.height+1)
}

func (h *help) settle(lines int) { h.top = clamp(h.top, 0, max(0, lines-h.height)) }

const helpPage = 10

func helpBy(n int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { m.help.top += n; return nil }
}

func (m *model) openHelp() tea.Cmd  { m.help = help{open: true, from: m.at}; return nil }
func (m *model) closeHelp() tea.Cmd { m.help.open = false; return nil }
