package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// takesKeys reports whether the need is a screen whose options are not known.
func (n *need) takesKeys() bool {
	return n.Kind == parley.NeedDialog && !n.answerable() && (n.Dialog == nil || !n.Dialog.Secret)
}

// keyScreenMsg is the screen of an agent, as it is when a person wants to send keys to it.
type keyScreenMsg struct {
	agentID string
	seen    *parley.AnswerDialogResult
	err     error
}

// lookForKeys looks at the agent's screen, for which a person is then asked for keys.
func (n answering) lookForKeys() tea.Cmd {
	x := n.selected()
	switch {
	case x == nil:
		n.tell(nothingNeeded)
		return nil
	case !x.takesKeys():
		n.tell("It takes no keys from here.")
		return nil
	case slipped(n.needs):
		return nil
	}

	id := x.AgentID
	return n.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		seen, err := s.AnswerDialog(ctx, parley.AnswerDialogRequest{Agent: id})
		return keyScreenMsg{id, seen, err}
	})
}

// askKeys shows the screen that was seen, and asks which keys it is to get. The daemon presses each only while it is
// still that screen.
func (n answering) askKeys(msg keyScreenMsg) tea.Cmd {
	x := n.selected()
	switch {
	case n.at != atNeeds || n.prompt != nil || x == nil || x.AgentID != msg.agentID:
		return nil // the person has gone on
	case msg.err != nil:
		n.tell(safeLine(parley.AsError(msg.err).Message))
		return nil
	case msg.seen.ScreenID == "":
		n.tell(safeLine(x.Agent) + "'s screen takes no keys from here. a attaches.")
		return nil
	}

	for i := range n.reported {
		if r := &n.reported[i]; r.AgentID == msg.agentID && r.Kind == parley.NeedDialog {
			r.Screen = msg.seen.Screen
		}
	}
	n.gather()

	r := parley.AnswerDialogRequest{Agent: msg.agentID, Dialog: msg.seen.ScreenID}
	name := safeLine(x.Agent)

	return n.askLine("Keys for "+name+", such as Down,Enter", func(text string) tea.Cmd {
		r.Keys = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
		return n.run(action{do: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := s.AnswerDialog(ctx, r)
			if err != nil {
				return "", err
			}
			return name + ": " + safeLine(res.Message), nil
		}})
	})
}
