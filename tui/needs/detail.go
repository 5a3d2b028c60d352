package needs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// needDetail is the pane of one need: what it is, what to do, and the message that
// it is about.
type needDetail struct {
	room *room.Shared
	kit.Pane
	Message room.Detail
}

// needDetailMsg is the message that a need is about, with its deliveries.
type needDetailMsg room.DetailMsg

// heard has the message read again if something happened to it.
func (n *needDetail) heard(message string) {
	n.Message.Stale = n.Message.Stale || message == n.Message.ID
}

// ask reads the message of a need, while the screen is shown. Looking at a message
// here does not mark it read: the operator marks or answers it.
func (n *needDetail) ask(x *need) tea.Cmd {
	if n.room.At != room.AtNeeds || x == nil {
		return nil
	}

	d := &n.Message
	if d.ID != x.MessageID {
		d.Show(x.MessageID)
		d.Stale, n.Top = true, 0
	}

	if d.ID == "" || d.Asking || !d.Stale || n.room.Link.Lost != nil {
		return nil
	}

	d.Asking, d.Stale = true, false
	read := room.ReadDetail(d.ID)

	return n.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		return needDetailMsg(read(ctx, s).(room.DetailMsg))
	})
}

func (n *needDetail) take(msg needDetailMsg) tea.Cmd {
	d := &n.Message
	d.Asking = false
	if msg.ID != d.ID {
		d.Stale = true
		return nil
	}

	if d.Err = msg.Err; msg.Err == nil {
		d.Result = msg.Result
	} else if n.room.Link.Gone(msg.Err) {
		d.Stale, d.Err = true, nil
		return n.room.Link.LookLater()
	}

	return nil
}

func (n *needDetail) view(x *need, w int, focused bool) []string {
	lines := n.lines(x, w)
	title := kit.CodeWords(x.Kind) + " " + kit.SafeLine(x.Agent)
	return n.Pane.View(n.room.Theme.Rule(title, n.Note(len(lines)), w, focused), lines)
}

// lines draws the details of a need. A dialog comes first: the question, and what may be answered.
func (n *needDetail) lines(x *need, w int) []string {
	read := x.MessageID != "" && n.Message.ID == x.MessageID && n.Message.Result != nil
	lines := n.story(x, w, read)
	if x.Kind == parley.NeedDialog {
		options := n.options(x, w)
		screen := n.dialog(x, w, n.Height-len(options)-len(lines)-1)
		lines = slices.Concat(screen, options, []string{""}, lines)
	} else {
		lines = append(lines, n.dialog(x, w, n.Height-len(lines))...)
	}

	if x.MessageID == "" || n.Message.ID != x.MessageID {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}

	if read {
		for _, d := range n.Message.Result.Responses {
			lines = n.say(lines, n.room.Theme.Warn, n.debtWords(d), w)
		}
	}

	row := &team.Row{From: kit.SafeLine(x.Agent), Text: kit.SafeLine(x.Text)} // until the message was read
	return append(lines, n.Message.Lines(n.room.Theme, row, w, n.room.Now)...)
}

func (n *needDetail) say(lines []string, style interface{ Render(...string) string }, text string, w int) []string {
	for _, line := range kit.Wrap(kit.SafeLine(text), w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

// story draws what a need is, what to do, and what else belongs to the matter. read says that its
// message is shown too.
func (n *needDetail) story(x *need, w int, read bool) (lines []string) {
	if x.Kind == needUnsent {
		lines = append(lines, kit.Indent(kit.Wrap(kit.SafeText(x.draft.Text), w-2), 2)...)
	} else if !read || !x.letter() {
		lines = n.say(lines, n.room.Theme.Plain, x.Text, w)
	}

	if !x.Since.IsZero() && !read {
		text := "since " + x.Since.In(n.room.Now.Location()).Format("2 Jan 15:04:05") + ", " +
			kit.Since(x.Since, n.room.Now)
		lines = n.say(lines, n.room.Theme.Dim, text, w)
	}
	if x.Action != "" {
		lines = n.say(lines, n.room.Theme.Accent, "→ "+x.Action, w)
	}
	if x.Command != "" {
		lines = n.say(lines, n.room.Theme.Dim, "in a shell: "+x.Command, w)
	}

	for _, also := range x.others() {
		lines = n.say(lines, n.room.Theme.Warn, also, w)
	}

	return lines
}

// others says what else is part of the matter: once for all agents of whom the same is to be said.
func (n *need) others() (said []string) {
	for rest := n.also; len(rest) > 0; {
		first, same := rest[0], 1
		for same < len(rest) && rest[same].Kind == first.Kind && rest[same].Text == first.Text {
			same++
		}
		var whom []string
		for _, x := range rest[:same] {
			if x.Agent != n.Agent {
				whom = append(whom, x.Agent)
			}
		}
		words := "also " + kit.CodeWords(first.Kind)
		if len(whom) > 0 {
			words += ", " + strings.Join(whom, ", ")
		}
		said = append(said, words+": "+first.Text)
		rest = rest[same:]
	}
	return said
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
		text := strings.ReplaceAll(kit.SafeText(line), "\n", " ")
		lines = append(lines, "  "+n.room.Theme.Dim.Render("│ ")+kit.Fit(text, w-4))
	}

	return lines
}

// debtWords says who owes whom an answer, since when, and when they were reminded.
func (n *needDetail) debtWords(d parley.Debt) string {
	if !d.State.Owed() {
		return kit.ShownName(d.Debtor, d.DebtorID) + " has answered: " + string(d.State)
	}
	debtor, owes := kit.ShownName(d.Debtor, d.DebtorID), "owes"
	if debtor == kit.You {
		owes = "owe"
	}
	words := fmt.Sprintf("%s %s %s an answer; it %s", debtor, owes,
		kit.ShownName(n.Message.Result.Object.Sender, n.Message.Result.Object.SenderID), whenDue(d.DueAt, n.room.Now))
	if d.RemindedAt != nil {
		words += "; reminded at " + kit.MomentOf(*d.RemindedAt, n.room.Now)
	}
	return words
}
