package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
	"parley/tui/verb"
)

// dropDraftMsg says that a draft may go.
type dropDraftMsg struct{ to room.Address }

// remedy returns what can be done about needs.
func (n *Screen) remedy() remedy { return remedy{n.Actions, &n.Detail.Message} }

// assist does what helps most with the need under the marker: the first option of its
// row.
func (n *Screen) assist() tea.Cmd {
	if n.tooQuick() {
		return nil
	}
	x := n.selected()
	if x == nil {
		n.Lacks(nothingNeeded)
		return nil
	}

	if x.answerable() {
		return Answering{n}.openQuestion(x)
	}

	switch {
	case x.Kind == needUnsent:
		return n.shell.Resume(x.draft)
	case x.letter() && x.thread != "":
		return n.shell.OpenThread(x.thread)
	case x.letter():
		return n.shell.Do(verb.Reply)
	}
	if a := x.act(parley.ActOpen); a != nil {
		return n.remedy().do(x, a)
	}

	return n.Attach()
}

// drop dismisses the need under the marker, in the way of its kind.
func (n *Screen) drop() tea.Cmd {
	if n.tooQuick() {
		return nil
	}
	x := n.selected()
	if x == nil {
		n.Lacks(nothingNeeded)
		return nil
	}

	switch {
	case x.letter():
		return n.remedy().readLetter(x)
	case x.Kind == needUnsent:
		to := x.draft.To
		discard := func() tea.Msg { return dropDraftMsg{to} }
		return n.Ask("Discard this draft? It cannot be recovered.", func() tea.Cmd { return discard })
	}
	switch a := x.act(parley.ActDismiss); {
	case a != nil && a.Ask == "":
		return tea.Batch(n.remedy().forgetReminders(x), n.remedy().do(x, a))
	case a != nil:
		return n.remedy().do(x, a)
	}

	n.Tell("It disappears once the cause is gone.")

	return nil
}

// again tries again what the need under the marker is about.
func (n *Screen) again() tea.Cmd {
	if n.tooQuick() {
		return nil
	}
	x := n.selected()
	if x == nil {
		n.Lacks(nothingNeeded)
		return nil
	}
	if a := x.again(); a != nil {
		return n.remedy().do(x, a)
	}
	n.Lacks("Nothing to retry here.")

	return nil
}
