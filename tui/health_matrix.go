package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	matrixName = 12 // columns of a name, at most
	matrixCell = 7  // columns of a cell with its gap, at least
	broadCell  = 12 // and at most
	matrixMost = 16 // agents that are shown
)

// talker is an agent in the matrix of who wrote to whom.
type talker struct {
	id, name string
	wrote    int
	messages int // that it wrote and got
}

// matrix draws who wrote to whom in the last hour, each with a curve, the busiest first.
func (h *health) matrix(w int) []string {
	pairs := h.ledger.pairs(h.now)
	if len(pairs) == 0 {
		return nil
	}

	total, most := 0, 0
	for _, n := range pairs {
		total, most = total+n, max(most, n)
	}

	all := h.talkers(pairs)
	name := 5
	for _, x := range all[:min(len(all), matrixMost)] {
		name = clamp(width(x.name), name, matrixName)
	}
	left := 2 + name + 1 + 4 + 1
	if !h.still && w >= 60 {
		left += hourSpans + 1
	}

	shown := all[:min(len(all), matrixMost, max(2, (w-left)/matrixCell-1))]
	cell := clamp((w-left)/(len(shown)+1), matrixCell, broadCell)
	note := plural(total, "message") + " " + h.ledger.period(h.now)
	lines := []string{h.theme.rule("Who writes to whom", note, w, false), h.matrixHead(shown, left, cell, w)}
	for _, from := range shown {
		line := h.talkerLine(from, name, left)
		for _, to := range shown {
			line += pad(h.cell(pairs[pair{from: from.id, to: to.id}], most, from.id == to.id), cell)
		}
		lines = append(lines, line+h.cell(pairs[pair{from: from.id}], most, false))
	}

	if more := len(all) - len(shown); more > 0 {
		lines = append(lines, h.theme.dim.Render(fit("  and "+plural(more, "quieter one"), w)))
	}

	return append(lines, "")
}

// talkers returns who wrote or got messages, the busiest first.
func (h *health) talkers(pairs map[pair]int) (all []talker) {
	of, wrote := map[string]int{}, map[string]int{}
	for p, n := range pairs {
		wrote[p.from] += n
		of[p.from] += n
		if p.to != "" {
			of[p.to] += n
		}
	}

	for id, n := range of {
		all = append(all, talker{id: id, name: h.ledger.names[id], wrote: wrote[id], messages: n})
	}

	slices.SortFunc(all, func(a, b talker) int {
		return cmp.Or(b.messages-a.messages, strings.Compare(a.name, b.name), strings.Compare(a.id, b.id))
	})

	return all
}

// matrixHead draws the recipients. The last column is for messages to several.
func (h *health) matrixHead(shown []talker, left, cell, w int) string {
	line := strings.Repeat(" ", left)
	for _, to := range shown {
		line += pad(to.name, cell-1) + " "
	}
	return h.theme.dim.Render(fit(line+"several", w))
}

// talkerLine draws a sender: its name, the curve of what it wrote and got in the last hour, and how many messages
// it wrote.
func (h *health) talkerLine(from talker, name, left int) string {
	line := "  " + h.theme.name(from.name).Render(pad(from.name, name)) + " "
	if room := left - 2 - name - 1 - 5; room >= hourSpans {
		curve := sparksTo(h.ledger.curve(from.id, h.now), max(1, h.ledger.busiest(h.now)))
		line += h.theme.busy.Render(pad(curve, room-1)) + " "
	}
	return line + fmt.Sprintf("%4d ", min(from.wrote, 9999))
}

// cell draws how many messages went one way, with their heat in shape and colour.
func (h *health) cell(n, most int, self bool) string {
	switch {
	case self:
		return strings.Repeat(" ", matrixCell)
	case n == 0:
		return h.theme.dim.Render(pad("·", matrixCell))
	}

	style := h.theme.good
	switch heat := n * 4 / max(most, 1); {
	case n < foldFrom:
	case heat >= 3:
		style = h.theme.bad
	case heat >= 1:
		style = h.theme.warn
	}

	return style.Render(pad(sparksTo([]int{n}, max(most, 8))+fmt.Sprint(" ", min(n, 9999)), matrixCell))
}
