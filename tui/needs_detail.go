package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// needDetail is the pane of one need: what it is, what to do, and the message that
// it is about.
type needDetail struct {
	*shared
	pane
	message detail
}

// needDetailMsg is the message that a need is about, with its deliveries.
type needDetailMsg detailMsg

// heard has the message read again if something happened to it.
func (n *needDetail) heard(message string) {
	n.message.stale = n.message.stale || message == n.message.id
}

// ask reads the message of a need, while the screen is shown. Looking at a message
// here does not mark it read: the operator marks or answers it.
func (n *needDetail) ask(x *need) tea.Cmd {
	if n.at != atNeeds || x == nil {
		return nil
	}

	d := &n.message
	if d.id != x.MessageID {
		d.show(x.MessageID)
		d.stale, n.top = true, 0
	}

	if d.id == "" || d.asking || !d.stale || n.link.lost != nil {
		return nil
	}

	d.asking, d.stale = true, false
	read := readDetail(d.id)

	return n.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		return needDetailMsg(read(ctx, s).(detailMsg))
	})
}

func (n *needDetail) take(msg needDetailMsg) tea.Cmd {
	d := &n.message
	d.asking = false
	if msg.id != d.id {
		d.stale = true
		return nil
	}

	if d.err = msg.err; msg.err == nil {
		d.result = msg.result
	} else if n.link.gone(msg.err) {
		d.stale, d.err = true, nil
		return n.link.lookLater()
	}

	return nil
}

func (n *needDetail) view(x *need, w int, focused bool) []string {
	lines := n.lines(x, w)
	title := codeWords(x.Kind) + " " + safeLine(x.Agent)
	return n.pane.view(n.theme.rule(title, n.note(len(lines)), w, focused), lines)
}

// lines draws the details of a need. A dialog comes first: the question, and what may be answered.
func (n *needDetail) lines(x *need, w int) []string {
	read := x.MessageID != "" && n.message.id == x.MessageID && n.message.result != nil
	lines := n.story(x, w, read)
	if x.Kind == parley.NeedDialog {
		options := n.options(x, w)
		screen := n.dialog(x, w, n.height-len(options)-len(lines)-1)
		lines = slices.Concat(screen, options, []string{""}, lines)
	} else {
		lines = append(lines, n.dialog(x, w, n.height-len(lines))...)
	}

	if x.MessageID == "" || n.message.id != x.MessageID {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}

	if read {
		for _, d := range n.message.result.Responses {
			lines = n.say(lines, n.theme.warn, n.debtWords(d), w)
		}
	}

	return append(lines, n.message.lines(n.theme, &row{from: safeLine(x.Agent), text: safeLine(x.Text)}, w, n.now)...)
}

// say adds a text to some lines.
func (n *needDetail) say(lines []string, style interface{ Render(...string) string }, text string, w int) []string {
	for _, line := range wrap(safeLine(text), w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

// story draws what a need is, what to do, and what else belongs to the matter. read says that its
// message is shown too.
func (n *needDetail) story(x *need, w int, read bool) (lines []string) {
	if x.Kind == needUnsent {
		lines = append(lines, indent(wrap(safeText(x.draft.text), w-2), 2)...)
	} else if !read || !x.letter() {
		lines = n.say(lines, n.theme.plain, x.Text, w)
	}

	if !x.Since.IsZero() && !read {
		text := "since " + x.Since.In(n.now.Location()).Format("2 Jan 15:04:05") + ", " + since(x.Since, n.now)
		lines = n.say(lines, n.theme.dim, text, w)
	}
	if x.Action != "" {
		lines = n.say(lines, n.theme.accent, "→ "+x.Action, w)
	}
	if x.Command != "" {
		lines = n.say(lines, n.theme.dim, "in a shell: "+x.Command, w)
	}

	for i := range x.also {
		also := &x.also[i]
		lines = n.say(lines, n.theme.warn, "also "+codeWords(also.Kind)+": "+also.Text, w)
	}

	return lines
}

// leastDialog is how many lines of a dialog are shown even where there is less room:
// a question with its answers.
const leastDialog = 4

// dialog draws the end of the agent's terminal, where a dialog is, in room lines or
// the least that it needs. Options that are drawn as such are left out.
func (n *needDetail) dialog(x *need, w, room int) []string {
	screen := x.Screen
	if x.Dialog != nil && len(x.Dialog.Options) > 0 && len(x.Dialog.Lines) > 0 {
		screen = x.Dialog.Lines
	}
	if len(screen) == 0 {
		return nil
	}

	var lines []string
	if x.Kind != parley.NeedDialog {
		lines = append(lines, "")
	}
	for _, line := range screen[max(0, len(screen)-max(room-len(lines), leastDialog)):] {
		lines = append(lines, "  "+n.theme.dim.Render("│ ")+fit(strings.ReplaceAll(safeText(line), "\n", " "), w-4))
	}

	return lines
}

// debtWords says who owes whom an answer, since when, and when they were reminded.
func (n *needDetail) debtWords(d parley.Debt) string {
	if !d.State.Owed() {
		return shownName(d.Debtor, d.DebtorID) + " has answered: " + string(d.State)
	}
	debtor, owes := shownName(d.Debtor, d.DebtorID), "owes"
	if debtor == you {
		owes = "owe"
	}
	words := fmt.Sprintf("%s %s %s an answer; it %s", debtor, owes,
		shownName(n.message.result.Object.Sender, n.message.result.Object.SenderID), whenDue(d.DueAt, n.now))
	if d.RemindedAt != nil {
		words += "; reminded at " + momentOf(*d.RemindedAt, n.now)
	}
	return words
}
