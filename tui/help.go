package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// help is the page of all keys, or of an answer.
type help struct {
	open  bool
	from  place  // the screen that was shown when it opened
	title string // of an answer
	text  string // of an answer; "" for the keys
	pane
}

const (
	helpColumn = 56 // columns that an entry needs to be read in full
	helpPage   = 10 // lines of a page
)

func (h *help) lines(th theme, keys *keymap, w int) []string {
	if h.text != "" {
		return indent(wrap(safeText(h.text), w-2), 2)
	}

	per := max(1, w/helpColumn)
	entry := w / per
	lines := firstPage(th, keys, per, entry)
	for _, s := range h.order() {
		var cells []string
		for _, b := range keys.in(s) {
			cells = append(cells, keyCell(th, b.show, b.does, entry))
		}

		if len(cells) == 0 {
			continue
		}

		lines = append(lines, "", "  "+th.strong.Render(fit(scopeNames[s], w-2)))
		lines = append(lines, inColumns(cells, per)...)
	}

	return lines
}

// order returns the scopes as the page lists them: the screen that one comes
// from is the first.
func (h *help) order() []scope {
	own := screenScope(h.from)
	order := []scope{own}
	for s := range scopes {
		if s != own {
			order = append(order, s)
		}
	}
	return order
}

// essentials are the keys with which everything can be done, by way of : at the
// latest. They can be learned in a minute.
var essentials = []struct {
	keys []string
	show string
	does string
}{
	{[]string{"1", "2", "3", "4", "5"}, "1 to 5", "traffic, agents, threads, needs you, health"},
	{[]string{"up", "down", "pgup", "pgdown"}, "↑ ↓", "up and down; pgup and pgdn by pages"},
	{[]string{"g", "G"}, "g G", "to the top; to the newest"},
	{[]string{"enter"}, "enter", "open it, or take the best action"},
	{[]string{"tab"}, "tab", "between a list and what it shows"},
	{[]string{"esc"}, "esc", "back"},
	{[]string{"/"}, "/", "filter the traffic"},
	{[]string{"c"}, "c", "write to the agent, or in the thread"},
	{[]string{"r"}, "r", "reply"},
	{[]string{"s"}, "s", "steer the agent"},
	{[]string{"a"}, "a", "attach to the agent's terminal"},
	{[]string{":"}, ":", "run any command"},
	{[]string{"u"}, "u", "undo the last action"},
	{[]string{"?"}, "?", "all keys, listed below"},
	{[]string{"q"}, "q", "quit; agents keep running"},
}

func firstPage(th theme, keys *keymap, per, entry int) []string {
	var cells []string
	for _, e := range essentials {
		cells = append(cells, keyCell(th, keys.shownKeys(e.keys, e.show), e.does, entry))
	}
	return inColumns(cells, per)
}

// shownKeys returns the text for some usual keys, or those that are set instead of them.
func (k *keymap) shownKeys(usual []string, show string) string {
	var now []string
	for _, key := range usual {
		at := inShell
		for at < inHealth && k.usually(at, key) == nil {
			at++
		}
		now = append(now, k.shown(at, key))
	}
	if slices.Equal(now, usual) {
		return show
	}
	return strings.Join(now, " ")
}

func keyCell(th theme, show, does string, entry int) string {
	return "  " + th.accent.Render(pad(show, 12)) + pad(does, entry-14)
}

// inColumns sets cells into columns, reading down.
func inColumns(cells []string, per int) []string {
	rows := (len(cells) + per - 1) / per
	lines := make([]string, rows)
	for i, cell := range cells {
		lines[i%rows] += cell
	}
	return lines
}

func (h *help) view(th theme, keys *keymap, w int) []string {
	name := "Keys"
	if h.text != "" {
		name = safeLine(h.title)
	}
	lines := h.lines(th, keys, w)
	return h.pane.view(th.rule(name, h.note(len(lines)), w, true), lines)
}

func (h *help) settle(th theme, keys *keymap, w, height int) {
	if h.height = height - 1; h.open {
		h.pane.settle(len(h.lines(th, keys, w)))
	}
}

func (d *shared) openHelp() tea.Cmd  { d.help = help{open: true, from: d.at}; return nil }
func (d *shared) closeHelp() tea.Cmd { d.help.open = false; return nil }

func (d *shared) helpKeys() []binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { d.help.top += n; return nil }
	}

	return []binding{
		bind("↓ j", "down", by(1)).hinted("scroll"),
		bind("↑ k", "up", by(-1)),
		bind("pgdn space", "a page down", by(helpPage), "ctrl+d"),
		bind("pgup", "a page up", by(-helpPage), "ctrl+u"),
		bind("esc ?", "close", d.closeHelp, "q", "enter", "ctrl+c").hinted("close"),
	}
}
