package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// tileGap separates two tiles of a row.
const tileGap = " │ "

// Bar says what the tiles show, in place of the names of the screens.
func (t *Tiles) Bar(w int) string {
	title := "Tiles"
	if t.only != nil {
		title = "Tiles of those selected"
	}

	in := t.inView()
	note := kit.Plural(len(t.board.order), "agent")
	if !t.board.zoom && len(in) < len(t.board.order) {
		from := t.board.first()
		note = fmt.Sprintf("%d–%d of %d", from+1, from+len(in), len(t.board.order))
		if n := t.needyElsewhere(in); n > 0 {
			note = fmt.Sprintf("%d more in trouble: o · ", n) + note
		}
	}
	if n := t.room.Picked.Count(); n > 0 {
		note = fmt.Sprintf("%d selected · ", n) + note
	}

	return t.room.Theme.Rule(title, note, w, true)
}

// needyElsewhere counts the agents in trouble that are on other pages.
func (t *Tiles) needyElsewhere(in []string) int {
	here := map[string]bool{}
	for _, id := range in {
		here[id] = true
	}
	n := 0
	for _, id := range t.board.order {
		if a := t.room.Team.Find(id); a != nil && !here[id] && team.Section(a) == team.InTrouble {
			n++
		}
	}
	return n
}

// View draws the tiles of the page that is shown.
func (t *Tiles) View(w, h int) []string {
	in := t.inView()
	draw := tileView{t.room, &t.board, t.reading.shots}
	if t.board.zoom {
		return draw.tile(t.board.sel, w, h)
	}

	var lines []string
	for row := range t.board.grid.rows {
		if row*t.board.grid.cols >= len(in) {
			break
		}
		lines = append(lines, draw.row(in[row*t.board.grid.cols:min((row+1)*t.board.grid.cols, len(in))], w,
			t.board.grid.h)...)
	}

	return lines
}

type tileView struct {
	room  *room.Shared
	board *board
	shots map[string]shot
}

// row draws some tiles side by side.
func (t tileView) row(ids []string, w, h int) []string {
	tileW := t.board.grid.tileWidth(w)
	lines := make([]string, h)
	for i, id := range ids {
		for j, line := range kit.Clip(t.tile(id, tileW, h), h) {
			if i > 0 {
				lines[j] += t.room.Theme.Dim.Render(tileGap)
			}
			lines[j] += kit.Pad(line, tileW)
		}
	}
	for i := range lines {
		lines[i] = kit.Fit(lines[i], w)
	}
	return lines
}

// tile draws an agent: its name and state, the end of its terminal, and its question if one is
// open.
func (t tileView) tile(id string, w, h int) []string {
	a, x := t.room.Team.Find(id), t.shots[id]
	if a == nil {
		return kit.Clip(nil, h)
	}

	lines := []string{t.title(a, w)}
	if x.dialog != nil {
		asked := questionOf(t.room.Theme, x.dialog, w, h-1, t.board.zoom)
		lines = append(lines, lastLines(beforeDialog(x.content(t.room.Theme, w), x.dialog), h-1-len(asked))...)
		return kit.Clip(append(lines, asked...), h)
	}

	return kit.Clip(append(lines, lastLines(x.content(t.room.Theme, w), h-1)...), h)
}

// content returns the lines of a terminal, or why there are none.
func (x shot) content(th kit.Theme, w int) []string {
	switch {
	case x.screen != nil:
		return x.shown.in(x.screen, w)
	case x.err != nil:
		return []string{th.Dim.Render(kit.Fit(kit.SafeLine(parley.AsError(x.err).Message), w))}
	}
	return []string{th.Dim.Render(kit.Fit("Reading…", w))}
}

// beforeDialog drops the part of a terminal that shows a dialog, which is drawn by itself.
func beforeDialog(lines []string, d *parley.Dialog) []string {
	first := d.Question
	if len(d.Lines) > 0 {
		first = d.Lines[0]
	}

	first = strings.TrimSpace(kit.SafeLine(first))
	for i, line := range slices.Backward(lines) {
		if text := strings.TrimSpace(ansi.Strip(line)); text != "" && first != "" &&
			(strings.Contains(text, first) || strings.HasPrefix(first, strings.TrimSuffix(text, "…"))) {
			return squeezed(lines[:i])
		}
	}

	return nil
}

// lastLines returns the end of a terminal, and squeezes what does not fit.
func lastLines(lines []string, room int) []string {
	if len(lines) > room {
		lines = squeezed(lines)
	}
	return lines[max(0, len(lines)-max(0, room)):]
}

func (t tileView) title(a *parley.AgentStatus, w int) string {
	on := a.ID == t.board.sel
	text := fmt.Sprintf("%s%s %s ", kit.Marked(on, t.room.Picked.Has(a.ID)), kit.AgentGlyph(a.State), a.Name)
	state := fmt.Sprintf("%s %s", kit.SafeLine(string(a.State)), kit.Since(a.Since, t.room.Now))
	left := kit.Fit(text+state, w)

	note := " " + op.Runs(a)
	if room := w - kit.Width(left) - 1; room < kit.Width(note) {
		note = ""
	}
	fill := " " + strings.Repeat("─", max(0, w-kit.Width(left)-kit.Width(note)-1))
	fill = kit.Fit(fill, w-kit.Width(left)-kit.Width(note))
	if on {
		return t.room.Theme.Focus.Render(left + fill + note)
	}

	name := kit.Fit(text, w)
	rest := kit.Fit(state, w-kit.Width(name))

	return t.room.Theme.Strong.Render(name) + t.room.Theme.Agent(a.State).Render(rest) +
		t.room.Theme.Dim.Render(fill+note)
}

// questionOf draws what a dialog says and the keys that answer it, and cuts it at its beginning
// where there is less room.
func questionOf(th kit.Theme, d *parley.Dialog, w, room int, zoomed bool) []string {
	all := questionLines(th, d, w)
	if over := len(all) - room; over > 0 {
		all = all[over:]
		words := "… enter shows all of it"
		if zoomed {
			words = "… a shows all of it, in its terminal"
		}
		all[0] = th.Warn.Render(kit.Fit(words, w))
	}
	return all
}

func questionLines(th kit.Theme, d *parley.Dialog, w int) []string {
	var lines []string
	said := d.Lines
	if len(said) == 0 {
		said = []string{d.Question}
	}
	for _, line := range said {
		for _, part := range kit.Wrap(kit.SafeLine(line), w) {
			if strings.TrimSpace(part) != "" {
				lines = append(lines, th.Strong.Render(part))
			}
		}
	}

	for i, o := range d.Options {
		label := kit.SafeLine(o.Label)
		if o.TakesText {
			label += " … (r)"
		}
		label = room.Tick(o) + label
		for j, part := range kit.Wrap(label, max(2, w-3)) {
			key := "   "
			if j == 0 {
				key = th.Accent.Render(kit.Pad(digitOf(d, i), 2)) + " "
			}
			lines = append(lines, key+part)
		}
	}
	if len(d.Options) == 0 && d.TakesText {
		lines = append(lines, th.Accent.Render("r")+"  answers it with words")
	}
	if d.Hints != "" {
		for j, part := range kit.Wrap(kit.SafeLine(d.Hints), max(2, w-3)) {
			key := "   "
			if j == 0 {
				key = th.Accent.Render("K ") + " "
			}
			lines = append(lines, key+th.Dim.Render(part))
		}
	}

	return lines
}
