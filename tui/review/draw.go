package review

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/review"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
)

// drawing draws the rows of a diff and its files, with the comments on them.
type drawing struct {
	room    *room.Shared
	changes *changes
	remarks *remarks
}

// fileLines draws the files below their directories, around the one under the marker.
func (r drawing) fileLines(w int) []string {
	var lines []string
	at, marked, dir := r.changes.fileAt(), 0, ""
	for i, f := range r.changes.files {
		if d := path.Dir(f.Path); d != "." && d != dir {
			lines = append(lines, "  "+r.room.Theme.Dim.Render(kit.Fit(shown(d)+"/", w-2)))
			dir = d
		} else {
			dir = d
		}

		counts := r.counts(f)
		name := shown(path.Base(f.Path))
		if f.From != "" {
			name += " ← " + shown(path.Base(f.From))
		}
		style, mark := r.room.Theme.Plain, "  "
		if i == at {
			mark, marked = "▸ ", len(lines)
			style = r.room.Theme.Accent
			if r.changes.inFiles {
				style = r.room.Theme.Focus
			}
		}
		lines = append(lines, style.Render(mark+kit.Pad(name, max(8, w-3-kit.Width(counts))))+" "+counts)
	}

	from := kit.Window(0, marked, len(lines), r.changes.height)
	return lines[from:]
}

// counts draws the numbers of a file, its state, its comments and who else changes it, as short as they can be.
func (r drawing) counts(f file) string {
	words := []string{
		r.room.Theme.Good.Render("+" + strconv.Itoa(f.Added)), r.room.Theme.Bad.Render("−" + strconv.Itoa(f.Removed)),
	}
	if f.Binary {
		words = []string{r.room.Theme.Dim.Render("binary")}
	}
	if word := stateWords[f.State]; word != "" {
		words = append(words, r.room.Theme.Dim.Render(word))
	}
	if len(r.changes.others(f.Path)) > 0 {
		words = append(words, r.room.Theme.Warn.Render("≈"))
	}
	return strings.Join(words, " ")
}

func (r drawing) rowLines(h int) []string {
	var lines []string
	for i := r.changes.top; i < len(r.changes.rows) && len(lines) < h; i++ {
		lines = append(lines, r.lines(i, r.changes.width)...)
	}
	return lines
}

// lines draws a row, wrapped, with the comments on it.
func (r drawing) lines(i, w int) []string {
	on := i == r.changes.at && !r.changes.inFiles
	lines := drawRow(r.room.Theme, r.changes.rows[i], w, on)
	if r.changes.rows[i].Kind == review.FileRow {
		for _, f := range r.changes.files {
			if f.row == i {
				lines[0] = kit.Pad(lines[0], w-1-kit.Width(r.counts(f))) + " " + r.counts(f)
			}
		}
		for _, s := range r.changes.others(r.changes.rows[i].File) {
			words := "≈ " + s.Name + " changes it, too: " + r.room.Key("v") + " shows both"
			lines = append(lines, "  "+r.room.Theme.Warn.Render(kit.Fit(words, w-2)))
		}
	}

	for _, at := range r.remarks.by[i] {
		for _, line := range kit.Wrap("» "+kit.SafeLine(r.remarks.of[r.changes.id][at].Text), w-gutter-2) {
			lines = append(lines, strings.Repeat(" ", gutter+1)+r.room.Theme.Warn.Render(line))
		}
	}
	return lines
}

// stateWords are how far a file is on its way, where that needs a word.
var stateWords = map[parley.FileState]string{
	parley.FileStaged: "staged", parley.FileUnstaged: "not staged", parley.FileNew: "new",
}

// drawRow draws a row of a diff, wrapped.
func drawRow(th kit.Theme, row review.Row, w int, on bool) []string {
	mark, style := kit.Marked(on, false), th.Plain
	switch row.Kind {
	case review.FileRow:
		text := shown(row.File)
		if row.Text != "" {
			text += "  " + shown(row.Text)
		}
		return []string{mark + th.Strong.Render(kit.Fit(text, w-kit.Width(mark)))}
	case review.HunkRow:
		return []string{mark + th.Accent.Render(kit.Fit(shown(row.Text), w-kit.Width(mark)))}
	case review.AddedRow:
		style = th.Good
	case review.RemovedRow:
		style = th.Bad
	case review.NoteRow:
		style = th.Dim
	}

	number := ""
	if row.Line > 0 {
		number = strconv.Itoa(row.Line)
	}
	left := mark + th.Dim.Render(kit.Pad(number, gutter-2)) + " "
	if on {
		left = mark + th.Focus.Render(kit.Pad(number, gutter-2)) + " "
	}

	var lines []string
	for j, part := range kit.Wrap(shown(plain.Truncate(row.Text, longest)), w-kit.Width(left)) {
		if j > 0 {
			left = strings.Repeat(" ", gutter+1)
			left = left[:min(len(left), max(0, w-2))]
		}
		lines = append(lines, left+style.Render(part))
	}
	return lines
}

// shown makes a line of an agent's safe to show, and keeps its spaces.
func shown(s string) string {
	return kit.Visible(plain.Reveal(strings.NewReplacer("\t", "    ", "\n", "␊", "\r", "␍", "\x1b", "␛").Replace(s)))
}

// besideFrom are the columns from which two agents' changes stand side by side, and not below each other.
const besideFrom = 120

// beside is what another agent changes in the file under the marker.
type beside struct {
	id, name string // of the other; "" while nothing is beside
	rows     []review.Row
	read     bool
	err      error
}

// pairing shows two agents' changes of a file.
type pairing struct {
	room    *room.Shared
	changes *changes
	draw    drawing
	other   beside
	reads   reading
}

// besideMsg is what was read of the other agent's changes.
type besideMsg struct {
	id   string
	diff *parley.DiffAgentResult
	err  error
}

// compare shows the changes of the next agent that changes the file, too; after the last one none.
func (p *pairing) compare() tea.Cmd {
	all := p.changes.here()
	if len(all) == 0 && p.other.id == "" {
		p.room.Lacks("No other agent's worktree changes this file.")
		return nil
	}

	next := slices.IndexFunc(all, func(s parley.SharedFiles) bool { return s.AgentID == p.other.id }) + 1
	if next >= len(all) {
		p.other = beside{}
		return nil
	}

	other := all[next]
	p.other, p.changes.inFiles = beside{id: other.AgentID, name: other.Name}, false

	return p.reads.ask(p.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		diff, err := op.DiffAgent.Call(ctx, s, parley.DiffAgentRequest{Agent: other.AgentID})
		return besideMsg{other.AgentID, diff, err}
	}))
}

func (b *beside) take(msg besideMsg) {
	if msg.id != b.id {
		return
	}
	b.read, b.err = true, msg.err
	if msg.err == nil {
		b.rows = review.Rows(msg.diff.Diff)
	}
}

// from returns the first row of the other agent's to show: of the same file, nearest to a line.
func (b *beside) from(row review.Row) int {
	best, distance := -1, 0
	for i, x := range b.rows {
		if x.File != row.File {
			continue
		}
		d := max(x.Line-row.Line, row.Line-x.Line)
		if best < 0 || x.Line > 0 && row.Line > 0 && d < distance {
			best, distance = i, d
		}
	}
	return best
}

// view draws both, side by side or below each other.
func (p *pairing) view(w, h int) []string {
	side := w
	half := p.changes.height
	if w >= besideFrom {
		side = p.changes.width
		half = h - 1
	}

	left := []string{p.room.Theme.Rule(p.changes.name, "", side, true)}
	left = append(left, kit.Clip(p.draw.rowLines(half), half)...)
	right := []string{p.room.Theme.Rule(p.other.name, "", side, false)}
	right = append(right, kit.Clip(p.otherLines(side, half), half)...)
	if w < besideFrom {
		return append(left, right...)
	}

	return kit.Beside(p.room.Theme, left, right, side)
}

func (p *pairing) otherLines(w, h int) []string {
	b := &p.other
	switch {
	case b.err != nil:
		return room.ErrorLines(p.room.Theme, b.err, w)
	case !b.read:
		return []string{"  " + p.room.Theme.Dim.Render("Reading…")}
	}

	row := p.changes.rows[p.changes.top]
	from := b.from(row)
	if from < 0 {
		return []string{"  " + p.room.Theme.Dim.Render(kit.Fit(b.name+" does not change this file.", w-2))}
	}

	var lines []string
	for i := from; i < len(b.rows) && b.rows[i].File == row.File && len(lines) < h; i++ {
		lines = append(lines, drawRow(p.room.Theme, b.rows[i], w, false)...)
	}
	return lines
}
