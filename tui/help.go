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
	lines := first(th, per, entry)
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

// essentials are the keys with which everything can be done, by way of : at the
// latest: what one learns in the first minute.
var essentials = []struct {
	keys []string
	show string
	does string
}{
	{[]string{"1", "2", "3", "4", "5"}, "1 to 5", "traffic, agents, threads, needs you, health"},
	{[]string{"up", "down", "pgup", "pgdown"}, "↑ ↓", "up and down; pgup and pgdn by pages"},
	{[]string{"g", "G"}, "g G", "to the top; to the newest"},
	{[]string{"enter"}, "enter", "open it, or do what helps most"},
	{[]string{"tab"}, "tab", "between a list and what it shows"},
	{[]string{"esc"}, "esc", "back"},
	{[]string{"/"}, "/", "filter the traffic"},
	{[]string{"c"}, "c", "write to the agent, or in the thread"},
	{[]string{"r"}, "r", "reply"},
	{[]string{"s"}, "s", "steer the agent"},
	{[]string{"a"}, "a", "be in the agent's terminal"},
	{[]string{":"}, ":", "find anything that can be done"},
	{[]string{"u"}, "u", "undo it"},
	{[]string{"?"}, "?", "all keys: they follow below"},
	{[]string{"q"}, "q", "quit; agents go on"},
}

// first is the first page.
func first(th theme, per, entry int) []string {
	var cells []string
	for _, e := range essentials {
		cells = append(cells, keyCell(th, e.show, e.does, entry))
	}
	return inColumns(cells, per)
}

func keyCell(th theme, show, does string, entry int) string {
	return "  " + th.accent.Render(pad(show, 12)) + pad(does, entry-14)
}

// grid sets a scope's keys into columns, reading down.
func grid(th theme, s scope, per, entry int) []string {
	var cells []string
	for _, b := range bindings() {
		if b.scope == s {
			cells = append(cells, keyCell(th, b.show, b.does, entry))
		}
	}
	return inColumns(cells, per)
}

func inColumns(cells []string, per int) []string {
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
