package room

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
)

// KeyScreenMsg is the screen of an agent, as it is when a person wants to send keys to it.
type KeyScreenMsg struct {
	AgentID string
	Seen    *parley.AnswerDialogResult
	Err     error
}

// Keys sends keys to the terminals of agents that ask.
type Keys struct{ Actions Actions }

// Look looks at an agent's screen, for which a person is then asked for keys.
func (k Keys) Look(id string) tea.Cmd {
	return k.Actions.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		seen, err := op.AnswerDialog.Call(ctx, s, parley.AnswerDialogRequest{Agent: id})
		return KeyScreenMsg{id, seen, err}
	})
}

// Ask asks which keys the screen that was seen is to get. The daemon presses each only while it is still that
// screen. It reports whether the screen takes any.
func (k Keys) Ask(msg KeyScreenMsg, agent string) (tea.Cmd, bool) {
	a, name := k.Actions, kit.SafeLine(agent)
	switch {
	case msg.Err != nil:
		a.Tell(kit.SafeLine(parley.AsError(msg.Err).Message))
		return nil, false
	case msg.Seen.ScreenID == "":
		a.Tell(name + "'s screen takes no keys from here. a attaches.")
		return nil, false
	}

	r := parley.AnswerDialogRequest{Agent: msg.AgentID, Dialog: msg.Seen.ScreenID}
	return a.AskLine("Keys for "+name+", such as Down,Enter", func(text string) tea.Cmd {
		r.Keys = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
		return a.Run(Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := op.AnswerDialog.Call(ctx, s, r)
			if err != nil {
				return "", err
			}
			return name + ": " + kit.SafeLine(res.Message), nil
		}})
	}), true
}
