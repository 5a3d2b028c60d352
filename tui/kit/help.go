package kit

import (
	"slices"
	"strings"
)

// Help is the page of all keys, or of an answer.
type Help struct {
	Open  bool
	From  Scope  // whose keys are listed first
	Title string // of an answer
	Text  string // of an answer; "" for the keys
	Pane
}

const helpColumn = 56 // columns that an entry needs to be read in full

func (h *Help) lines(th Theme, keys *Keymap, w int) []string {
	if h.Text != "" {
		return Indent(Wrap(SafeText(h.Text), w-2), 2)
	}

	per := max(1, w/helpColumn)
	entry := w / per
	lines := firstPage(th, keys, per, entry)
	for _, s := range h.order(keys) {
		var cells []string
		for _, b := range keys.In(s) {
			cells = append(cells, keyCell(th, b.Show, b.Does, entry))
		}

		if len(cells) == 0 {
			continue
		}

		lines = append(lines, "", "  "+th.Strong.Render(Fit(keys.Names[s], w-2)))
		lines = append(lines, inColumns(cells, per)...)
	}

	return lines
}

// order returns the scopes as the page lists them: the screen that one comes
// from is the first.
func (h *Help) order(keys *Keymap) []Scope {
	order := []Scope{h.From}
	for i := range keys.Names {
		if s := Scope(i); s != h.From {
			order = append(order, s)
		}
	}
	return order
}

// Essential is something that the help says first: what some keys do.
type Essential struct {
	Keys []string
	Show string
	Does string
}

func firstPage(th Theme, keys *Keymap, per, entry int) []string {
	var cells []string
	for _, e := range keys.First {
		cells = append(cells, keyCell(th, keys.shownKeys(e.Keys, e.Show), e.Does, entry))
	}
	return inColumns(cells, per)
}

// shownKeys returns the text for some usual keys, or those that are set instead of them.
func (k *Keymap) shownKeys(usual []string, show string) string {
	var now []string
	for _, key := range usual {
		at := InShell
		for int(at) < len(k.Names) && k.usually(at, key) == nil {
			at++
		}
		now = append(now, k.Shown(at, key))
	}
	if slices.Equal(now, usual) {
		return show
	}
	return strings.Join(now, " ")
}

func keyCell(th Theme, show, does string, entry int) string {
	return "  " + th.Accent.Render(Pad(show, shownWidth)) + Pad(does, entry-14)
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

// View draws the page, with its title.
func (h *Help) View(th Theme, keys *Keymap, w int) []string {
	name := "Keys"
	if h.Text != "" {
		name = SafeLine(h.Title)
	}
	lines := h.lines(th, keys, w)
	return h.Pane.View(th.Rule(name, h.Note(len(lines)), w, true), lines)
}

// Settle sets the height of the page.
func (h *Help) Settle(th Theme, keys *Keymap, w, height int) {
	if h.Height = height - 1; h.Open {
		h.Pane.Settle(len(h.lines(th, keys, w)))
	}
}
