package needs

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// dropDraftMsg says that a draft may go.
type dropDraftMsg struct{ to room.Address }

// remedy returns what can be done about needs.
func (n *Screen) remedy() remedy { return remedy{n.Actions, &n.Detail.Message} }

// tooQuick reports whether a key was meant for a need that has just gone, and says so.
func (n *Screen) tooQuick() bool {
	if !n.slipped(n.Do.Now()) {
		return false
	}
	n.Tell("The list has just changed. Look again, then press the key again.")
	return true
}

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

	switch x.Kind {
	case parley.NeedReturn:
		return n.remedy().bringBack()
	case parley.NeedRefused:
		return n.remedy().startAfresh()
	case parley.NeedLost, parley.NeedExited:
		return n.Restart()
	case parley.NeedOverdue, parley.NeedOwesAnswer:
		if n.About().Agent != nil {
			return n.remedy().remind(x)
		}
		return n.shell.Do(verb.Reply)
	case parley.NeedUndelivered:
		return n.remedy().retryTo(x.MessageID, "") // to all of its recipients that did not get it
	case parley.NeedUnanswered:
		return n.remedy().retryTo(x.MessageID, x.AgentID)
	case parley.NeedNewcomer:
		question := fmt.Sprintf("Let %s take part?", kit.SafeLine(x.Agent))
		return n.Ask(question, func() tea.Cmd { return n.remedy().admit(x, true) })
	case parley.NeedApproval:
		question := fmt.Sprintf("Make %s a special agent? It then has the rights of one.", kit.SafeLine(x.Agent))
		return n.Ask(question, func() tea.Cmd { return n.remedy().decide(x, true) })
	case parley.NeedHeld:
		return n.Control(parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: x.MessageID}, nil)
	case parley.NeedUntried, parley.NeedMisread:
		return n.Run(room.Act(parley.Service.CheckProgram, parley.CheckProgramRequest{Agent: x.AgentID}))
	case needMessage, needAnswer:
		if x.thread != "" {
			return n.shell.OpenThread(x.thread)
		}
		return n.shell.Do(verb.Reply)
	case needUnsent:
		return n.shell.Resume(x.draft)
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

	switch x.Kind {
	case parley.NeedUnconfirmed, parley.NeedUndelivered, parley.NeedOverdue, parley.NeedOwesAnswer,
		parley.NeedUnanswered,
		parley.NeedUntried, parley.NeedMisread:
		return n.remedy().dismiss(x)
	case parley.NeedLost, parley.NeedRefused, parley.NeedExited:
		return n.Stop()
	case parley.NeedDraft:
		return overruling{n}.ask(x)
	case parley.NeedHeld:
		return n.remedy().muteHeld(x)
	case parley.NeedNewcomer:
		question := fmt.Sprintf("Turn %s away? Its key ends.", kit.SafeLine(x.Agent))
		return n.Ask(question, func() tea.Cmd { return n.remedy().admit(x, false) })
	case parley.NeedApproval:
		return n.remedy().decide(x, false)
	case needMessage, needAnswer:
		return n.remedy().readLetter(x)
	case needUnsent:
		to := x.draft.To
		discard := func() tea.Msg { return dropDraftMsg{to} }
		return n.Ask("Discard this draft? It cannot be recovered.", func() tea.Cmd { return discard })
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
	switch {
	case x == nil:
		n.Lacks(nothingNeeded)
	case x.restarts():
		return n.Restart()
	case x.Kind == parley.NeedUndelivered:
		return n.assist()
	case !x.repeats():
		n.Lacks("Nothing to retry here.")
	default:
		return n.remedy().retryTo(x.MessageID, x.AgentID)
	}
	return nil
}
