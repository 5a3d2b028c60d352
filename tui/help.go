package tui

import (
	"slices"
	"strings"
)

// help is the page of all keys, or of an answer.
type help struct {
	open  bool
	from  scope  // whose keys are listed first
	title string // of an answer
	text  string // of an answer; "" for the keys
	pane
}

const helpColumn = 56 // columns that an entry needs to be read in full

func (h *help) lines(th theme, keys *keymap, w int) []string {
	if h.text != "" {
		return indent(wrap(safeText(h.text), w-2), 2)
	}

	per := max(1, w/helpColumn)
	entry := w / per
	lines := firstPage(th, keys, per, entry)
	for _, s := range h.order(keys) {
		var cells []string
		for _, b := range keys.in(s) {
			cells = append(cells, keyCell(th, b.show, b.does, entry))
		}

		if len(cells) == 0 {
			continue
		}

		lines = append(lines, "", "  "+th.strong.Render(fit(keys.names[s], w-2)))
		lines = append(lines, inColumns(cells, per)...)
	}

	return lines
}

// order returns the scopes as the page lists them: the screen that one comes
// from is the first.
func (h *help) order(keys *keymap) []scope {
	order := []scope{h.from}
	for i := range keys.names {
		if s := scope(i); s != h.from {
			order = append(order, s)
		}
	}
	return order
}

// essential is something that the help says first: what some keys do.
type essential struct {
	keys []string
	show string
	does string
}

func firstPage(th theme, keys *keymap, per, entry int) []string {
	var cells []string
	for _, e := range keys.first {
		cells = append(cells, keyCell(th, keys.shownKeys(e.keys, e.show), e.does, entry))
	}
	return inColumns(cells, per)
}

// shownKeys returns the text for some usual keys, or those that are set instead of them.
func (k *keymap) shownKeys(usual []string, show string) string {
	var now []string
	for _, key := range usual {
		at := inShell
		for int(at) < len(k.names) && k.usually(at, key) == nil {
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
