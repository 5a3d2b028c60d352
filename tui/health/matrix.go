package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/tui/kit"
	"parley/tui/team"
)

const (
	matrixName = 24 // columns of a name, at most
	matrixCell = 9  // columns of a cell with its gap, at least
	broadCell  = 12 // and at most
	matrixMost = 16 // agents that are shown

	manyMessages = 16 // in an hour one way: fewer are no heat, even where nobody else writes
)

// talker is an agent in the matrix of who wrote to whom.
type talker struct {
	id, name string
	wrote    int
	messages int // that it wrote and got
}

// matrix draws who wrote to whom in the last hour, each with a curve, the busiest first.
func (p plots) matrix(w int) []string {
	pairs := p.room.Ledger.Pairs(p.room.Now)
	if len(pairs) == 0 {
		return nil
	}

	total, most := 0, 0
	for _, n := range pairs {
		total, most = total+n, max(most, n)
	}

	all := p.talkers(pairs)
	name := 5
	for _, x := range all[:min(len(all), matrixMost)] {
		name = kit.Clamp(kit.Width(x.name), name, matrixName)
	}
	left := 2 + name + 1 + 4 + 1
	if curve := team.HourSpans + 1; !p.Still && w-left-curve >= 5*matrixCell {
		left += curve
	}

	shown := all[:min(len(all), matrixMost, max(2, (w-left)/matrixCell-1))]
	cell := kit.Clamp((w-left)/(len(shown)+1), matrixCell, broadCell)
	note := kit.Plural(total, "message") + " " + p.room.Ledger.Period(p.room.Now)
	lines := append([]string{p.room.Theme.Rule("Who writes to whom", note, w, false)},
		p.matrixHead(shown, left, cell, w)...)
	for _, from := range shown {
		line := p.talkerLine(from, name, left)
		for _, to := range shown {
			line += kit.Pad(p.cell(pairs[team.Pair{From: from.id, To: to.id}], most, from.id == to.id), cell)
		}
		lines = append(lines, line+p.cell(pairs[team.Pair{From: from.id}], most, false))
	}

	if more := len(all) - len(shown); more > 0 {
		lines = append(lines, p.room.Theme.Dim.Render(kit.Fit("  and "+kit.Plural(more, "quieter one"), w)))
	}

	return append(lines, "")
}

// talkers returns who wrote or got messages, the busiest first.
func (p plots) talkers(pairs map[team.Pair]int) (all []talker) {
	of, wrote := map[string]int{}, map[string]int{}
	for x, n := range pairs {
		wrote[x.From] += n
		of[x.From] += n
		if x.To != "" {
			of[x.To] += n
		}
	}

	for id, n := range of {
		all = append(all, talker{id: id, name: p.room.Ledger.Names[id], wrote: wrote[id], messages: n})
	}

	slices.SortFunc(all, func(a, b talker) int {
		return cmp.Or(b.messages-a.messages, strings.Compare(a.name, b.name), strings.Compare(a.id, b.id))
	})

	return all
}

// matrixHead draws the recipients, with their whole names. The last column is for messages to several.
func (p plots) matrixHead(shown []talker, left, cell, w int) (lines []string) {
	var names [][]string
	high := 1
	for _, to := range append(slices.Clone(shown), talker{name: "several"}) {
		name := kit.Wrap(to.name, cell-1)
		names, high = append(names, name), max(high, len(name))
	}

	for i := range high {
		line := strings.Repeat(" ", left)
		for _, name := range names {
			part := ""
			if at := i - (high - len(name)); at >= 0 { // the ends stand in one line
				part = name[at]
			}
			line += kit.Pad(part, cell-1) + " "
		}
		lines = append(lines, p.room.Theme.Dim.Render(kit.Fit(strings.TrimRight(line, " "), w)))
	}
	return lines
}

// talkerLine draws a sender: its name, the curve of what it wrote and got in the last hour, and how many messages
// it wrote.
func (p plots) talkerLine(from talker, name, left int) string {
	line := "  " + p.room.Theme.Name(from.name).Render(kit.PadName(from.name, name)) + " "
	if room := left - 2 - name - 1 - 5; room >= team.HourSpans {
		curve := kit.SparksTo(p.room.Ledger.Curve(from.id, p.room.Now), max(1, p.room.Ledger.Busiest(p.room.Now)))
		line += p.room.Theme.Busy.Render(kit.Pad(curve, room-1)) + " "
	}
	return line + fmt.Sprintf("%4d ", min(from.wrote, 9999))
}

// cell draws how many messages went one way, with their heat in shape and colour.
func (p plots) cell(n, most int, self bool) string {
	switch {
	case self:
		return strings.Repeat(" ", matrixCell)
	case n == 0:
		return p.room.Theme.Dim.Render(kit.Pad("·", matrixCell))
	}

	style := p.room.Theme.Good
	switch heat := n * 4 / max(most, 1); {
	case n < team.FoldFrom:
	case heat >= 3 && n >= manyMessages:
		style = p.room.Theme.Bad
	case heat >= 1:
		style = p.room.Theme.Busy
	}

	return style.Render(kit.Pad(kit.SparksTo([]int{n}, max(most, 8))+fmt.Sprint(" ", min(n, 9999)), matrixCell))
}
