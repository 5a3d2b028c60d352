package needs

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// dropDraftMsg says that a draft may go.
type dropDraftMsg struct{ to room.Address }

// assist does what helps most with the need under the marker: the first option of its
// row.
func (n *Screen) assist() tea.Cmd {
	if slipped(n) {
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
		return n.bringBack()
	case parley.NeedRefused:
		return n.startAfresh()
	case parley.NeedLost, parley.NeedExited:
		return n.Restart()
	case parley.NeedOverdue, parley.NeedOwesAnswer:
		if n.About().Agent != nil {
			return n.remind(x)
		}
		return n.shell.Do(verb.Reply)
	case parley.NeedUndelivered:
		return n.retryTo(x.MessageID, "") // to all of its recipients that did not get it
	case parley.NeedUnanswered:
		return n.retryTo(x.MessageID, x.AgentID)
	case parley.NeedNewcomer:
		return n.Ask(fmt.Sprintf("Let %s take part?", kit.SafeLine(x.Agent)), func() tea.Cmd { return n.admit(x, true) })
	case parley.NeedApproval:
		question := fmt.Sprintf("Make %s a special agent? It then has the rights of one.", kit.SafeLine(x.Agent))
		return n.Ask(question, func() tea.Cmd { return n.decide(x, true) })
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
	if slipped(n) {
		return nil
	}
	x := n.selected()
	if x == nil {
		n.Lacks(nothingNeeded)
		return nil
	}

	switch x.Kind {
	case parley.NeedUnconfirmed, parley.NeedUndelivered, parley.NeedOverdue, parley.NeedOwesAnswer, parley.NeedUnanswered,
		parley.NeedUntried, parley.NeedMisread:
		return n.dismiss(x)
	case parley.NeedLost, parley.NeedRefused, parley.NeedExited:
		return n.Stop()
	case parley.NeedDraft:
		return overruling{n}.ask(x)
	case parley.NeedHeld:
		return n.muteHeld()
	case parley.NeedNewcomer:
		question := fmt.Sprintf("Turn %s away? Its key ends.", kit.SafeLine(x.Agent))
		return n.Ask(question, func() tea.Cmd { return n.admit(x, false) })
	case parley.NeedApproval:
		return n.decide(x, false)
	case needMessage, needAnswer:
		return n.readLetter()
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
	if slipped(n) {
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
		return n.retryTo(x.MessageID, x.AgentID)
	}
	return nil
}

// muteHeld mutes the two agents, or the thread, whose messages are held.
func (n *Screen) muteHeld() tea.Cmd {
	r := n.Detail.Message.Result
	if r == nil || r.Object == nil || len(r.Deliveries) == 0 {
		n.Tell("Still reading the conversation; try again in a moment.")
		return nil
	}

	mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: r.Object.ThreadID}
	if mute.ThreadID == "" {
		mute.With = r.Object.SenderID + "," + n.selected().AgentID
	}

	unmute := mute
	unmute.Action = parley.ActionUnmute

	return n.Control(mute, &unmute)
}

// retryTo types a message again to one agent, or looks at once whether it can be.
func (n *Screen) retryTo(message, agent string) tea.Cmd {
	return n.Run(room.Act(parley.Service.RetryDelivery,
		parley.RetryDeliveryRequest{MessageID: message, Recipient: agent}))
}

// dismiss takes the message of a need off the list, with what reminds of it, or programs that were not tried or are
// misread. Nothing else changes.
func (n *Screen) dismiss(x *need) tea.Cmd {
	ref, done := x.MessageID, "Dismissed; retrying brings it back."
	if x.Kind == parley.NeedUntried || x.Kind == parley.NeedMisread {
		ref, done = string(x.Kind), "Dismissed, for this version."
	}
	return tea.Batch(n.forgetReminders(x), n.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := s.GetNeeds(ctx, parley.GetNeedsRequest{Dismiss: ref})
		return done, err
	}}))
}

// readLetter marks the message under the marker read, with what reminds of it.
func (n *Screen) readLetter() tea.Cmd {
	if n.none() {
		return n.MarkRead()
	}
	return tea.Batch(n.forgetReminders(n.selected()), n.MarkRead())
}

// forgetReminders marks read what only reminds of a need.
func (n *Screen) forgetReminders(x *need) tea.Cmd {
	ids := x.reminders()
	if len(ids) == 0 {
		return nil
	}
	n.Inbox.Drop(ids...)
	return n.Do.Call(room.MarkMessagesRead(ids...))
}

// reminder is the kind of guidance that a reminder is.
const reminder = "REMINDER"

// remind asks all that owe an answer to the message for it.
func (n *Screen) remind(x *need) tea.Cmd {
	text := "Please answer message " + parley.Short(x.MessageID)
	if r := n.Detail.Message.Result; r != nil && r.Object != nil && r.Object.ID == x.MessageID {
		text += " from " + kit.SafeLine(r.Object.Sender)
	}

	all, names := []*need{x}, kit.SafeLine(x.Agent)
	for i := range x.also {
		if y := &x.also[i]; x.IsDebt() && y.IsDebt() && y.MessageID == x.MessageID {
			all = append(all, y)
		}
	}
	if len(all) > 1 {
		names = fmt.Sprintf("%d agents", len(all))
	}

	return n.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		var errs []error // of some, which keep none of the others from it
		for _, debt := range all {
			r := parley.SteerAgentRequest{Agent: debt.AgentID, Kind: reminder, Text: text + "."}
			_, err := s.SteerAgent(ctx, r)
			errs = append(errs, err)
		}
		return "Reminded " + names + ".", cmp.Or(errs...)
	}})
}

// admit decides on an agent that registered from elsewhere. That cannot be undone.
func (n *Screen) admit(x *need, yes bool) tea.Cmd {
	return n.Run(room.Act(parley.Service.ApproveAgent, parley.ApproveAgentRequest{Agent: x.AgentID, Approve: yes}))
}

// decide approves an agent's request to be special, or declines it. Either can be changed later.
func (n *Screen) decide(x *need, yes bool) tea.Cmd {
	set := func(yes bool) room.Action {
		return room.Act(parley.Service.ApproveAgent, parley.ApproveAgentRequest{Agent: x.AgentID, Approve: yes})
	}
	does := "approves it instead"
	if yes {
		does = "declines it instead"
	}
	return n.Run(set(yes).UndoneBy(does, set(!yes)))
}
