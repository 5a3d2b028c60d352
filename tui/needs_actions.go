package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// dropDraftMsg is the operator's word that a draft may go.
type dropDraftMsg struct{ to address }

// helpNeed does what helps most with the need under the marker: the first word
// on its row.
func (m *model) helpNeed() tea.Cmd {
	x := m.needs.selected()
	if x == nil {
		m.tell("Nothing needs you.")
		return nil
	}

	switch x.Kind {
	case parley.NeedLost, parley.NeedExited:
		return m.restart()
	case parley.NeedOverdue, parley.NeedOwesAnswer:
		if m.needs.about().agent != nil {
			return m.remind(x)
		}
		return m.reply()
	case parley.NeedUnanswered:
		return m.retryTo(x.MessageID, x.AgentID)
	case parley.NeedApproval:
		return m.ask(
			fmt.Sprintf("Make %s a special agent? It may then do what only those may.", safeLine(x.Agent)),
			m.approve(x, true),
		)
	case parley.NeedHeld:
		return m.control(parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: x.MessageID}, nil)
	case needMessage, needAnswer:
		if x.thread != "" {
			return m.openThread(x.thread)
		}
		return m.reply()
	case needUnsent:
		return m.compose.write(x.draft.to, x.draft.label, "")
	}

	return m.attach()
}

// dropNeed lets the need under the marker be, in the way of its kind.
func (m *model) dropNeed() tea.Cmd {
	x := m.needs.selected()
	if x == nil {
		m.tell("Nothing needs you.")
		return nil
	}

	switch x.Kind {
	case parley.NeedUnconfirmed, parley.NeedOverdue, parley.NeedOwesAnswer, parley.NeedUnanswered:
		return m.dismiss(x.MessageID)
	case parley.NeedLost, parley.NeedExited:
		return m.stop()
	case parley.NeedHeld:
		return m.muteHeld()
	case parley.NeedApproval:
		return m.approve(x, false)
	case needMessage, needAnswer:
		return m.markRead()
	case needUnsent:
		to := x.draft.to
		return m.ask("Throw this draft away? Nobody has it then.", func() tea.Msg { return dropDraftMsg{to} })
	}

	m.tell("This goes when its cause does.")

	return nil
}

// idle reports whether the key of such a hint does nothing for the need under the marker.
func (n *needs) idle(hint string) bool {
	x := n.selected()
	if x == nil {
		return true
	}

	toYou := x.Kind == needMessage || x.Kind == needAnswer
	l, _ := lookOf(x.Kind)
	switch hint {
	case "let be":
		return !toYou && !slices.ContainsFunc(l.acts, func(act string) bool { return strings.HasPrefix(act, "x ") })
	case "again":
		return !x.restarts() && !x.repeats()
	case "read":
		return !toYou
	case "explain":
		return x.MessageID == ""
	}

	return false
}

// restarts and repeats tell what again means for a need.
func (n *need) restarts() bool { return n.Kind == parley.NeedLost || n.Kind == parley.NeedExited }
func (n *need) repeats() bool {
	return n.MessageID != "" && n.AgentID != "" && n.Kind != needMessage && n.Kind != needAnswer
}

// againNeed tries again what the need under the marker is about.
func (m *model) againNeed() tea.Cmd {
	x := m.needs.selected()
	switch {
	case x == nil:
		m.tell("Nothing needs you.")
	case x.restarts():
		return m.restart()
	case !x.repeats():
		m.tell("There is nothing to be tried again here.")
	default:
		return m.retryTo(x.MessageID, x.AgentID)
	}
	return nil
}

// openThread shows what was said in a thread, and with it marks that read.
func (m *model) openThread(id string) tea.Cmd {
	m.threads.sel, m.threads.inTalk = id, true
	return tea.Batch(m.threads.readAll(), m.goTo(atThreads))
}

// muteHeld mutes those who said too much: two agents, or a thread.
func (m *model) muteHeld() tea.Cmd {
	r := m.needs.message.result
	if r == nil || r.Object == nil || len(r.Deliveries) == 0 {
		m.tell("Reading what they talk about; try again.")
		return nil
	}
	mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: r.Object.ThreadID}
	if mute.ThreadID == "" {
		mute.With = r.Object.SenderID + "," + m.needs.selected().AgentID
	}
	back := mute
	back.Action = parley.ActionUnmute
	return m.control(mute, &back)
}

// control does something to a conversation; back undoes it, if anything does.
func (m *model) control(r parley.ControlConversationRequest, back *parley.ControlConversationRequest) tea.Cmd {
	do := func(r parley.ControlConversationRequest) deed {
		return deed{call: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := s.ControlConversation(ctx, r)
			if err != nil {
				return "", err
			}
			return res.Message, nil
		}}
	}

	d := do(r)
	if back != nil {
		d.undo = &undo{does: "takes that back", deed: do(*back)}
	}

	return m.do.deed(d)
}

// retryTo types a message again to one agent, or looks at once whether it can be.
func (m *model) retryTo(message, agent string) tea.Cmd {
	return m.do.deed(deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.RetryDelivery(ctx, parley.RetryDeliveryRequest{MessageID: message, Recipient: agent})
		if err != nil {
			return "", err
		}
		return res.Message, nil
	}})
}

// dismiss lets a message not be named any more; only the list forgets it.
func (m *model) dismiss(message string) tea.Cmd {
	return m.do.deed(deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.GetNeeds(ctx, parley.GetNeedsRequest{Dismiss: message})
		if err != nil {
			return "", err
		}
		return plural(res.Dismissed, "matter") + " let be; a retry brings it back.", nil
	}})
}

// reminder is the kind of guidance that a reminder is.
const reminder = "REMINDER"

// remind asks for an answer that is owed.
func (m *model) remind(x *need) tea.Cmd {
	id, name, message := x.AgentID, safeLine(x.Agent), x.MessageID
	text := "Please answer message " + parley.Short(message)
	if r := m.needs.message.result; r != nil && r.Object != nil && r.Object.ID == message {
		text += " from " + safeLine(r.Object.Sender)
	}
	return m.do.deed(deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := s.SteerAgent(ctx, parley.SteerAgentRequest{Agent: id, Kind: reminder, Text: text + "."})
		return name + " is reminded.", err
	}})
}

// approve decides on an agent's wish to be special, which can be decided anew.
func (m *model) approve(x *need, yes bool) tea.Cmd {
	id := x.AgentID
	decide := func(yes bool) deed {
		return deed{call: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := s.ApproveAgent(ctx, parley.ApproveAgentRequest{Agent: id, Approve: yes})
			if err != nil {
				return "", err
			}
			return res.Message, nil
		}}
	}

	d := decide(yes)
	d.undo = &undo{
		does: map[bool]string{true: "declines it after all", false: "approves it after all"}[yes],
		deed: decide(!yes),
	}

	return m.do.deed(d)
}
