package tui

import (
	"fmt"
	"strings"

	"parley"
)

// parts divides the screen between the list and the details.
func (n *needs) parts(w, h int) (listW, listH, paneW, paneH int) {
	switch {
	case len(n.list) == 0:
		return w, h, 0, 0
	case n.tier >= wide:
		listW = n.dividers.listWidth(atNeeds, w*48/100, w)
		return listW, h, w - listW - 3, h
	}
	listH = n.dividers.listHeight(atNeeds, min(len(n.list)+2, max(h*45/100, 5)), h)
	return w, listH, w, h - listH
}

func (n *needs) settle(w, h int) {
	_, listH, paneW, paneH := n.parts(w, h)
	n.height = max(1, listH-2) // the row under the marker takes two lines
	i := n.index()
	if n.sel != "" && i < len(n.list) && n.list[i].key != n.sel && n.sel != n.acted {
		n.moved = n.do.now()
	}
	n.mark(i)
	n.top = window(n.top, i, len(n.list), n.height)
	if len(n.list) == 0 {
		n.inDetail = false
	}
	if n.detail.height = max(1, paneH-1); paneH > 0 {
		n.detail.settle(len(n.detail.lines(n.selected(), paneW)))
	}
}

func (n *needs) view(w, h int) []string {
	listW, listH, paneW, paneH := n.parts(w, h)
	list := clip(n.rows(listW), listH)
	if paneH == 0 {
		return clip(list, h)
	}

	details := clip(n.detail.view(n.selected(), paneW, n.inDetail), paneH)
	if n.tier >= wide {
		return beside(n.theme, list, details, listW)
	}

	return append(list, details...)
}

// rows draws the list.
func (n *needs) rows(w int) []string {
	note, at := "", n.index()
	if len(n.list) > n.height {
		note = fmt.Sprintf("%d of %d", at+1, len(n.list))
	}

	lines := []string{n.theme.rule("Needs you", note, w, !n.inDetail)}
	if n.err != nil {
		lines = append(lines, errorLines(n.theme, n.err, w)...)
	}

	switch {
	case !n.known && n.err == nil:
		return append(lines, n.theme.dim.Render(fit("  Reading what needs you…", w)))
	case len(n.list) == 0 && n.err == nil:
		return append(lines, n.nothing(w)...)
	}

	c := n.columns()
	for i := n.top; i < min(n.top+n.height, len(n.list)); i++ {
		lines = append(lines, n.row(&n.list[i], w, c, i == at)...)
	}

	return lines
}

// needColumns are how wide the columns before the text are.
type needColumns struct{ kind, name int }

// columns returns the columns that the list needs: what they do not take, the text has.
func (n *needs) columns() needColumns {
	c := needColumns{kind: 6, name: 5}
	for i := range n.list {
		c.kind = max(c.kind, width(codeWords(n.list[i].Kind)))
		c.name = max(c.name, width(safeLine(n.list[i].Agent)))
	}
	return needColumns{min(c.kind, 11), min(c.name, 14)}
}

const needsLesson = "Listed here, with the key that helps: open dialogs; agents that are lost, have ended or " +
	"are stuck; messages that are unconfirmed; answers that you wait for; and messages to you. The number next to " +
	"this screen's name counts them. What is between agents stands below, dim: answers that they owe each other, " +
	"and what loop protection holds."

// nothing says that nothing needs the operator, and what the screen is for.
func (n *needs) nothing(w int) []string {
	lines := []string{"", n.theme.good.Render(fit("  ✓ Nothing needs you.", w)), ""}
	for _, line := range wrap(needsLesson, w-2) {
		lines = append(lines, "  "+n.theme.dim.Render(line))
	}
	return lines
}

// row draws a need on one line: a glyph and a label that may be skipped, who it is about, and what it
// says. Below the one under the marker is what can be done about it.
func (n *needs) row(x *need, w int, c needColumns, selected bool) []string {
	l, _ := lookOf(x.Kind)
	kind := pad(l.glyph, 2) + pad(codeWords(x.Kind), c.kind) + " "
	who, ago := pad(safeLine(x.Agent), c.name)+" ", pad(x.ago(n.now), 4)+" "

	used := 2 + width(kind+who+ago)
	also := fit(alsoWords(&n.team, x), max(0, w-used-leastText))
	if also != "" {
		also = "  " + also
	}
	lead := fit(x.lead, w-used)
	text := fit(x.headline(), w-used-width(lead)-width(also))

	if selected {
		first := pad("▸ "+kind+who+ago+lead+text+also, w)
		if !n.inDetail {
			first = n.theme.focus.Render(first)
		}
		return []string{first, "    " + columns(n.optionWords(x, l), n.theme.dim.Render(" · "), w-4)}
	}

	style := n.theme.warn
	switch {
	case x.Kind == needUnsent:
		style = n.theme.plain
	case l.grave:
		style = n.theme.bad
	}

	dim := n.theme.dim
	if x.Between {
		return []string{dim.Render(fit("  "+kind+who+ago+lead+text+also, w))}
	}
	return []string{"  " + style.Render(kind[:len(l.glyph)]) + dim.Render(kind[len(l.glyph):]) +
		n.theme.name(strings.TrimSpace(who)).Render(who) + dim.Render(ago+lead) + text + dim.Render(also)}
}

// leastText is how many columns of a row its text keeps before the rest of the matter is said.
const leastText = 20

// optionWords draws what can be done about a need.
func (n *needs) optionWords(x *need, l look) []string {
	a := n.team.find(x.AgentID)
	attachable := a != nil && a.Kind == parley.KindTerminal

	var words []string
	for _, o := range l.options {
		switch {
		case o.key == "a" && !attachable:
			continue
		case o.key == "enter" && x.letter() && x.thread != "":
			o.does = "open the thread"
		case o.key == "enter" && x.answerable():
			words = append(words, n.theme.accent.Render(n.key(o.key))+" answer")
			o.key = "a"
		}
		words = append(words, n.theme.accent.Render(n.key(o.key))+" "+o.does)
	}

	return words
}
