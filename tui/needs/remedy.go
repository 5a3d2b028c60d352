package needs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// remedy is what can be done about a need, whichever list it stands in.
type remedy struct {
	room.Actions
	about *room.Detail // the message that the need is about, as far as it was read
}

// muteHeld mutes the two agents, or the thread, whose messages are held.
func (m remedy) muteHeld(x *need) tea.Cmd {
	r := m.about.Result
	if r == nil || r.Object == nil || len(r.Deliveries) == 0 {
		m.Tell("Still reading the conversation; try again in a moment.")
		return nil
	}

	mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: r.Object.ThreadID}
	if mute.ThreadID == "" {
		mute.With = r.Object.SenderID + "," + x.AgentID
	}

	unmute := mute
	unmute.Action = parley.ActionUnmute

	return m.Control(mute, &unmute)
}

// retryTo types a message again to one agent, or looks at once whether it can be.
func (m remedy) retryTo(message, agent string) tea.Cmd {
	return m.Run(room.Act(parley.Service.RetryDelivery,
		parley.RetryDeliveryRequest{MessageID: message, Recipient: agent}))
}

// dismiss takes the message of a need off the list, with what reminds of it, or programs that were not tried or are
// misread. Nothing else changes.
func (m remedy) dismiss(x *need) tea.Cmd {
	ref, done := x.MessageID, "Dismissed; retrying brings it back."
	if x.Kind == parley.NeedUntried || x.Kind == parley.NeedMisread {
		ref, done = string(x.Kind), "Dismissed, for this version."
	}
	dismiss := func(ctx context.Context, s parley.Service) (string, error) {
		_, err := s.GetNeeds(ctx, parley.GetNeedsRequest{Dismiss: ref})
		return done, err
	}
	return tea.Batch(m.forgetReminders(x), m.Run(room.Action{Do: dismiss}))
}

// readLetter marks the message under the marker read, with what reminds of it.
func (m remedy) readLetter(x *need) tea.Cmd { return tea.Batch(m.forgetReminders(x), m.MarkRead()) }

// forgetReminders marks read what only reminds of a need.
func (m remedy) forgetReminders(x *need) tea.Cmd {
	ids := x.reminders()
	if len(ids) == 0 {
		return nil
	}
	m.Inbox.Drop(ids...)
	return m.Do.Call(room.MarkMessagesRead(ids...))
}

// reminder is the kind of guidance that a reminder is.
const reminder = "REMINDER"

// remind asks all that owe an answer to the message for it.
func (m remedy) remind(x *need) tea.Cmd {
	text := "Please answer message " + parley.Short(x.MessageID)
	if r := m.about.Result; r != nil && r.Object != nil && r.Object.ID == x.MessageID {
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

	return m.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
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
func (m remedy) admit(x *need, yes bool) tea.Cmd {
	return m.Run(room.Act(parley.Service.ApproveAgent, parley.ApproveAgentRequest{Agent: x.AgentID, Approve: yes}))
}

// decide approves an agent's request to be special, or declines it. Either can be changed later.
func (m remedy) decide(x *need, yes bool) tea.Cmd {
	set := func(yes bool) room.Action {
		return room.Act(parley.Service.ApproveAgent, parley.ApproveAgentRequest{Agent: x.AgentID, Approve: yes})
	}
	does := "approves it instead"
	if yes {
		does = "declines it instead"
	}
	return m.Run(set(yes).UndoneBy(does, set(!yes)))
}

// bringBack restarts all agents that have lost their terminals.
func (m remedy) bringBack() tea.Cmd {
	return m.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		status, err := s.GetAgentStatus(ctx, parley.AgentStatusRequest{})
		if err != nil {
			return "", err
		}

		var back []string
		var failed error
		for _, a := range status.Agents {
			if !a.Lost() {
				continue
			}
			if _, err := s.RestartAgent(ctx, parley.RestartAgentRequest{Agent: a.ID}); err != nil {
				failed = errors.Join(failed, fmt.Errorf("restart %s: %w", a.Name, err))
				continue
			}
			back = append(back, kit.SafeLine(a.Name))
		}

		return "Brought back: " + strings.Join(back, ", ") + ".", failed
	}})
}

// startAfresh restarts an agent with a new conversation. It asks first: the next restart does not come
// back to the old one.
func (m remedy) startAfresh() tea.Cmd {
	agent := m.About().Agent
	if agent == nil {
		m.Lacks(room.WhichAgent)
		return nil
	}

	r := parley.RestartAgentRequest{Agent: agent.ID, Fresh: true}
	question := fmt.Sprintf("Start %s with a new conversation? parley forgets its old one.", agent.Name)

	return m.AskTo(question, room.ActSaying(agent.Name+" started afresh.", parley.Service.RestartAgent, r))
}
