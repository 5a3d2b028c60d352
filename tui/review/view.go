package review

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"parley"
	"parley/internal/review"
	"parley/tui/kit"
	"parley/tui/room"
)

const (
	filesWidth = 34   // columns of the list of files
	listFrom   = 100  // columns from which it stands beside the lines
	gutter     = 6    // columns of the numbers of lines
	longest    = 4000 // characters of a line that are shown
	noteGap    = 8    // columns of a title that are neither its name nor its note
)

// Settle sets the sizes, and scrolls so that the marker is in view.
func (r *Room) Settle(w, h int) {
	r.list = w >= listFrom && r.beside.id == ""
	r.height, r.width = max(1, h-1), w
	switch {
	case r.list:
		r.width = w - filesWidth - 3
	case r.beside.id != "" && w >= besideFrom:
		r.width = (w - 3) / 2
	case r.beside.id != "":
		r.height = max(1, (h-2)/2)
	}

	if len(r.rows) == 0 {
		return
	}

	r.at = kit.Clamp(r.at, 0, len(r.rows)-1)
	first, used := r.at, 0
	for i := r.at; i >= 0; i-- {
		if used += len(r.lines(i, r.width)); used > r.height && i < r.at {
			break
		}
		first = i
	}
	r.top = kit.Clamp(r.top, first, r.at)
}

// View draws the room.
func (r *Room) View(w, h int) []string {
	if r.merge != nil {
		return kit.Clip(Merging{r}.mergeView(w), h)
	}

	title := "Review of " + r.name
	lines := []string{r.Theme.Rule(title, r.note(w-kit.Width(title)-noteGap), w, true)}
	switch {
	case len(r.rows) == 0:
		return kit.Clip(append(lines, r.emptyView(w)...), h)
	case r.beside.id != "":
		return kit.Clip(append(lines, pairing{r}.besideView(w, h-1)...), h)
	case r.list:
		left := kit.Clip(r.fileLines(filesWidth), h-1)
		return append(lines, kit.Beside(r.Theme, left, kit.Clip(r.rowLines(h-1), h-1), filesWidth)...)
	case r.inFiles:
		return kit.Clip(append(lines, r.fileLines(w)...), h)
	}
	return kit.Clip(append(lines, r.rowLines(h-1)...), h)
}

// note sums the changes up, as much as fits beside the name.
func (r *Room) note(w int) string {
	if r.loaded.diff == nil {
		return ""
	}

	added, removed := 0, 0
	for _, f := range r.files {
		added, removed = added+f.Added, removed+f.Removed
	}

	words := []string{fmt.Sprintf("%s +%d −%d", kit.Plural(len(r.files), "file"), added, removed)}
	if r.loaded.diff.Truncated {
		words = append(words, "cut: too long")
	}
	if n := len(r.remarks.of[r.id]); n > 0 {
		words = append(words, kit.Plural(n, "comment"))
	}
	if p := r.loaded.preview; p != nil {
		far := fmt.Sprintf("%d ahead of %s", p.Ahead, kit.SafeLine(p.Worktree.Base))
		if p.Behind > 0 {
			far += fmt.Sprintf(", %d behind", p.Behind)
		}
		words = append(words, far, kit.SafeLine(p.Worktree.Branch))
	}

	return kit.Columns(words, " · ", w)
}

func (r *Room) emptyView(w int) []string {
	switch {
	case r.Err != nil:
		return room.ErrorLines(r.Theme, r.Err, w)
	case !r.Read:
		return []string{"  " + r.Theme.Dim.Render("Reading…")}
	case r.loaded.preview != nil:
		return []string{"", "  Nothing has changed since " + r.name + " began."}
	}
	return []string{"", "  Nothing has changed since the last commit."}
}

// stateWords are how far a file is on its way, where that needs a word.
var stateWords = map[parley.FileState]string{
	parley.FileStaged: "staged", parley.FileUnstaged: "not staged", parley.FileNew: "new",
}

// fileLines draws the files below their directories, around the one under the marker.
func (r *Room) fileLines(w int) []string {
	var lines []string
	at, marked, dir := r.fileAt(), 0, ""
	for i, f := range r.files {
		if d := path.Dir(f.Path); d != "." && d != dir {
			lines = append(lines, "  "+r.Theme.Dim.Render(kit.Fit(plain(d)+"/", w-2)))
			dir = d
		} else {
			dir = d
		}

		counts := r.counts(f)
		name := plain(path.Base(f.Path))
		if f.From != "" {
			name += " ← " + plain(path.Base(f.From))
		}
		style, mark := r.Theme.Plain, "  "
		if i == at {
			mark, marked = "▸ ", len(lines)
			style = r.Theme.Accent
			if r.inFiles {
				style = r.Theme.Focus
			}
		}
		lines = append(lines, style.Render(mark+kit.Pad(name, max(8, w-3-kit.Width(counts))))+" "+counts)
	}

	from := kit.Window(0, marked, len(lines), r.height)
	return lines[from:]
}

// counts draws the numbers of a file, its state, its comments and who else changes it, as short as they can be.
func (r *Room) counts(f file) string {
	words := []string{
		r.Theme.Good.Render("+" + strconv.Itoa(f.Added)), r.Theme.Bad.Render("−" + strconv.Itoa(f.Removed)),
	}
	if f.Binary {
		words = []string{r.Theme.Dim.Render("binary")}
	}
	if word := stateWords[f.State]; word != "" {
		words = append(words, r.Theme.Dim.Render(word))
	}
	if len(r.others(f.Path)) > 0 {
		words = append(words, r.Theme.Warn.Render("≈"))
	}
	return strings.Join(words, " ")
}

// rowLines draws the rows in view.
func (r *Room) rowLines(h int) []string {
	var lines []string
	for i := r.top; i < len(r.rows) && len(lines) < h; i++ {
		lines = append(lines, r.lines(i, r.width)...)
	}
	return lines
}

// lines draws a row, wrapped, with the comments on it.
func (r *Room) lines(i, w int) []string {
	on := i == r.at && !r.inFiles
	lines := drawRow(r.Theme, r.rows[i], w, on)
	if r.rows[i].Kind == review.FileRow {
		for _, f := range r.files {
			if f.row == i {
				lines[0] = kit.Pad(lines[0], w-1-kit.Width(r.counts(f))) + " " + r.counts(f)
			}
		}
		for _, s := range r.others(r.rows[i].File) {
			words := "≈ " + s.Name + " changes it, too: " + r.Key("v") + " shows both"
			lines = append(lines, "  "+r.Theme.Warn.Render(kit.Fit(words, w-2)))
		}
	}

	for _, at := range r.remarks.by[i] {
		for _, line := range kit.Wrap("» "+kit.SafeLine(r.remarks.of[r.id][at].Text), w-gutter-2) {
			lines = append(lines, strings.Repeat(" ", gutter+1)+r.Theme.Warn.Render(line))
		}
	}
	return lines
}

// drawRow draws a row of a diff, wrapped.
func drawRow(th kit.Theme, row review.Row, w int, on bool) []string {
	mark, style := kit.Marked(on, false), th.Plain
	switch row.Kind {
	case review.FileRow:
		text := plain(row.File)
		if row.Text != "" {
			text += "  " + plain(row.Text)
		}
		return []string{mark + th.Strong.Render(kit.Fit(text, w-kit.Width(mark)))}
	case review.HunkRow:
		return []string{mark + th.Accent.Render(kit.Fit(plain(row.Text), w-kit.Width(mark)))}
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
	for j, part := range kit.Wrap(plain(parley.Truncate(row.Text, longest)), w-kit.Width(left)) {
		if j > 0 {
			left = strings.Repeat(" ", gutter+1)
			left = left[:min(len(left), max(0, w-2))]
		}
		lines = append(lines, left+style.Render(part))
	}
	return lines
}

// plain makes a line of an agent's safe to show, and keeps its spaces.
func plain(s string) string {
	return kit.Visible(parley.Reveal(strings.NewReplacer("\t", "    ", "\n", "␊", "\r", "␍", "\x1b", "␛").Replace(s)))
}
