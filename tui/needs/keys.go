package needs

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
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
func (n Answering) lookForKeys() tea.Cmd {
	x := n.selected()
	switch {
	case x == nil:
		n.Lacks(nothingNeeded)
		return nil
	case !x.takesKeys():
		n.Tell("It takes no keys from here.")
		return nil
	case n.tooQuick():
		return nil
	}

	id := x.AgentID
	return n.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		seen, err := s.AnswerDialog(ctx, parley.AnswerDialogRequest{Agent: id})
		return keyScreenMsg{id, seen, err}
	})
}

// askKeys shows the screen that was seen, and asks which keys it is to get. The daemon presses each only while it is
// still that screen.
func (n Answering) askKeys(msg keyScreenMsg) tea.Cmd {
	x := n.selected()
	switch {
	case n.At != room.AtNeeds || n.Prompt != nil || x == nil || x.AgentID != msg.agentID:
		return nil // the person has gone on
	case msg.err != nil:
		n.Tell(kit.SafeLine(parley.AsError(msg.err).Message))
		return nil
	case msg.seen.ScreenID == "":
		n.Tell(kit.SafeLine(x.Agent) + "'s screen takes no keys from here. a attaches.")
		return nil
	}

	n.report.sees(msg.agentID, msg.seen.Screen)
	n.gather()

	r := parley.AnswerDialogRequest{Agent: msg.agentID, Dialog: msg.seen.ScreenID}
	name := kit.SafeLine(x.Agent)

	return n.AskLine("Keys for "+name+", such as Down,Enter", func(text string) tea.Cmd {
		r.Keys = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
		return n.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := s.AnswerDialog(ctx, r)
			if err != nil {
				return "", err
			}
			return name + ": " + kit.SafeLine(res.Message), nil
		}})
	})
}
