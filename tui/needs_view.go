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
		listW = w * 48 / 100
		return listW, h, w - listW - 3, h
	}
	listH = min(len(n.list)+2, max(h*45/100, 5))
	return w, listH, w, h - listH
}

func (n *needs) settle(w, h int) {
	_, listH, paneW, paneH := n.parts(w, h)
	n.height = max(1, listH-2) // the row under the marker takes two lines
	i := n.index()
	n.mark(i)
	n.top = window(n.top, i, len(n.list), n.height)
	if len(n.list) == 0 {
		n.inDetail = false
	}
	if n.pane.height = max(1, paneH-1); paneH > 0 {
		n.pane.top = clamp(n.pane.top, 0, max(0, len(n.lines(paneW))-n.pane.height))
	}
}

func (n *needs) view(w, h int) []string {
	listW, listH, paneW, paneH := n.parts(w, h)
	list := clip(n.rows(listW), listH)
	if paneH == 0 {
		return clip(list, h)
	}

	all := n.lines(paneW)
	note := ""
	if more := len(all) - n.pane.top - n.pane.height; more > 0 {
		note = plural(more, "more line")
	} else if n.pane.top > 0 {
		note = "end"
	}

	x := n.selected()
	title := n.theme.rule(codeWords(x.Kind)+" "+safeLine(x.Agent), note, paneW, n.inDetail)
	details := clip(append([]string{title}, all[clamp(n.pane.top, 0, len(all)):]...), paneH)
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

	name := 5
	for i := range n.list {
		name = max(name, width(safeLine(n.list[i].Agent)))
	}

	name = min(name, 14)
	for i := n.top; i < min(n.top+n.height, len(n.list)); i++ {
		lines = append(lines, n.row(&n.list[i], w, name, i == at)...)
	}

	return lines
}

const needsLesson = "Listed here, with the key that helps: open dialogs; agents that are lost, have ended or are stuck; " +
	"held and unconfirmed messages; overdue answers; and messages to you. " +
	"The number next to this screen's name counts them."

// nothing says that nothing needs the operator, and what the screen is for.
func (n *needs) nothing(w int) []string {
	lines := []string{"", n.theme.good.Render(fit("  ✓ Nothing needs you.", w)), ""}
	for _, line := range wrap(needsLesson, w-2) {
		lines = append(lines, "  "+n.theme.dim.Render(line))
	}
	return lines
}

// row draws a need on one line. Below the one under the marker is what can be done
// about it.
func (n *needs) row(x *need, w, name int, selected bool) []string {
	l, _ := lookOf(x.Kind)
	kind := pad(l.glyph, 2) + pad(codeWords(x.Kind), 12)
	rest := pad(safeLine(x.Agent), name) + " " + pad(x.ago(n.now), 4) + " "
	style := n.theme.warn
	if l.grave {
		style = n.theme.bad
	}
	if x.Kind == needUnsent {
		style = n.theme.plain
	}

	if !selected {
		left := "  " + style.Render(kind) + rest
		return []string{left + n.theme.dim.Render(fit(safeLine(x.Text), w-width(left)))}
	}

	line := "▸ " + kind + rest
	first := pad(line+fit(safeLine(x.Text), w-width(line)), w)
	if !n.inDetail {
		first = n.theme.focus.Render(first)
	}

	var acts []string
	a := n.team.find(x.AgentID)
	for _, act := range l.acts {
		if act == "a attach" && (a == nil || a.Kind != parley.KindTerminal) {
			continue
		}
		if x.thread != "" && act == "enter reply" {
			act = "enter open the thread"
		}

		key, does, _ := strings.Cut(act, " ")
		acts = append(acts, n.theme.accent.Render(key)+" "+does)
	}

	return []string{first, "    " + columns(acts, n.theme.dim.Render(" · "), w-4)}
}

// lines draws the details of the need under the marker.
func (n *needs) lines(w int) []string {
	x := n.selected()
	if x == nil {
		return nil
	}

	var lines []string
	say := func(style interface{ Render(...string) string }, text string) {
		for _, line := range wrap(safeLine(text), w-2) {
			lines = append(lines, "  "+style.Render(line))
		}
	}

	read := x.MessageID != "" && n.message.id == x.MessageID && n.message.result != nil
	if x.Kind == needUnsent {
		lines = append(lines, indent(wrap(safeText(x.draft.text), w-2), 2)...)
	} else if !read || x.Kind != needMessage && x.Kind != needAnswer {
		say(n.theme.plain, x.Text)
	}

	if !x.Since.IsZero() && !read {
		say(n.theme.dim, "since "+x.Since.In(n.now.Location()).Format("2 Jan 15:04:05")+", "+since(x.Since, n.now))
	}
	if x.Action != "" {
		say(n.theme.accent, "→ "+x.Action)
	}
	if x.Command != "" {
		say(n.theme.dim, "in a shell: "+x.Command)
	}

	lines = append(lines, n.dialog(x, w, n.pane.height-len(lines))...)
	if x.MessageID == "" || n.message.id != x.MessageID {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}

	if read {
		for _, d := range n.message.result.Responses {
			say(n.theme.warn, debtWords(d, n))
		}
	}

	return append(lines, n.message.lines(n.theme, &row{from: safeLine(x.Agent), text: safeLine(x.Text)}, w, n.now)...)
}

// leastDialog is how many lines of a dialog are shown even where there is less room:
// a question with its answers.
const leastDialog = 4

// dialog draws the end of the agent's terminal, where a dialog is, in room lines or
// the least that it needs.
func (n *needs) dialog(x *need, w, room int) []string {
	if len(x.Screen) == 0 {
		return nil
	}
	lines := []string{""}
	for _, line := range x.Screen[max(0, len(x.Screen)-max(room-1, leastDialog)):] {
		lines = append(lines, "  "+n.theme.dim.Render("│ ")+fit(strings.ReplaceAll(safeText(line), "\n", " "), w-4))
	}
	return lines
}

// debtWords says who owes whom an answer, since when, and when they were reminded.
func debtWords(d parley.Debt, n *needs) string {
	if !d.State.Owed() {
		return shownName(d.Debtor, d.DebtorID) + " has answered: " + string(d.State)
	}
	words := fmt.Sprintf("%s owes %s an answer; it %s", shownName(d.Debtor, d.DebtorID),
		shownName(n.message.result.Object.Sender, n.message.result.Object.SenderID), whenDue(d.DueAt, n.now))
	if d.RemindedAt != nil {
		words += "; reminded at " + clockOf(*d.RemindedAt, n.now, 6)
	}
	return words
}
