package review

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

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
	r.list = w >= listFrom && r.beside.other.id == ""
	r.Changes.height, r.Changes.width = max(1, h-1), w
	switch {
	case r.list:
		r.Changes.width = w - filesWidth - 3
	case r.beside.other.id != "" && w >= besideFrom:
		r.Changes.width = (w - 3) / 2
	case r.beside.other.id != "":
		r.Changes.height = max(1, (h-2)/2)
	}

	if len(r.Changes.rows) == 0 {
		return
	}

	r.Changes.at = kit.Clamp(r.Changes.at, 0, len(r.Changes.rows)-1)
	first, used := r.Changes.at, 0
	for i := r.Changes.at; i >= 0; i-- {
		if used += len(r.draw.lines(i, r.Changes.width)); used > r.Changes.height && i < r.Changes.at {
			break
		}
		first = i
	}
	r.Changes.top = kit.Clamp(r.Changes.top, first, r.Changes.at)
}

// View draws the room.
func (r *Room) View(w, h int) []string {
	if r.Merge.question != nil {
		return kit.Clip(r.Merge.view(w), h)
	}

	title := "Review of " + r.Changes.name
	lines := []string{r.room.Theme.Rule(title, r.note(w-kit.Width(title)-noteGap), w, true)}
	switch {
	case len(r.Changes.rows) == 0:
		return kit.Clip(append(lines, r.emptyView(w)...), h)
	case r.beside.other.id != "":
		return kit.Clip(append(lines, r.beside.view(w, h-1)...), h)
	case r.list:
		left := kit.Clip(r.draw.fileLines(filesWidth), h-1)
		return append(lines, kit.Beside(r.room.Theme, left, kit.Clip(r.draw.rowLines(h-1), h-1), filesWidth)...)
	case r.Changes.inFiles:
		return kit.Clip(append(lines, r.draw.fileLines(w)...), h)
	}
	return kit.Clip(append(lines, r.draw.rowLines(h-1)...), h)
}

// note sums the changes up, as much as fits beside the name.
func (r *Room) note(w int) string {
	if r.Changes.loaded.diff == nil {
		return ""
	}

	added, removed := 0, 0
	for _, f := range r.Changes.files {
		added, removed = added+f.Added, removed+f.Removed
	}

	words := []string{fmt.Sprintf("%s +%d −%d", kit.Plural(len(r.Changes.files), "file"), added, removed)}
	if r.Changes.loaded.diff.Truncated {
		words = append(words, "cut: too long")
	}
	if n := len(r.remarks.of[r.Changes.id]); n > 0 {
		words = append(words, kit.Plural(n, "comment"))
	}
	if p := r.Changes.loaded.preview; p != nil {
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
		return room.ErrorLines(r.room.Theme, r.Err, w)
	case !r.Read:
		return []string{"  " + r.room.Theme.Dim.Render("Reading…")}
	case r.Changes.loaded.preview != nil:
		return []string{"", "  Nothing has changed since " + r.Changes.name + " began."}
	}
	return []string{"", "  Nothing has changed since the last commit."}
}

// reading lets git look at one thing at a time, also while a key is held: what is asked for meanwhile is read once,
// when the answer has come.
type reading struct {
	going bool
	next  tea.Cmd // what was asked for last; nil for nothing
}

// ask returns the command to run now, nil while another one runs.
func (r *reading) ask(cmd tea.Cmd) tea.Cmd {
	if r.going {
		r.next = cmd
		return nil
	}
	r.going = true
	return cmd
}

// came returns the command to run once the answer to the last has come.
func (r *reading) came() tea.Cmd {
	cmd := r.next
	r.next, r.going = nil, cmd != nil
	return cmd
}
