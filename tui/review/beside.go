package review

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/review"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

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
