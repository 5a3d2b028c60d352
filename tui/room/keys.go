package room

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/verb"
)

// KeyScreenMsg is the screen of an agent, as it is when a person wants to send keys to it.
type KeyScreenMsg struct {
	AgentID string
	Seen    *parley.AnswerDialogResult
	Err     error
}

// LookForKeys looks at an agent's screen, for which a person is then asked for keys.
func (a *Actions) LookForKeys(id string) tea.Cmd {
	return a.Room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		seen, err := op.AnswerDialog.Call(ctx, s, parley.AnswerDialogRequest{Agent: id})
		return KeyScreenMsg{id, seen, err}
	})
}

// AskKeys asks which keys the screen that was seen is to get. The daemon presses each only while it is still that
// screen. It reports whether the screen takes any.
func (a *Actions) AskKeys(msg KeyScreenMsg, agent string) (tea.Cmd, bool) {
	name := kit.SafeLine(agent)
	switch {
	case msg.Err != nil:
		a.Room.Tell(kit.SafeLine(parley.AsError(msg.Err).Message))
		return nil, false
	case msg.Seen.ScreenID == "":
		a.Room.Tell(name + "'s screen takes no keys from here. a attaches.")
		return nil, false
	}

	r := parley.AnswerDialogRequest{Agent: msg.AgentID, Dialog: msg.Seen.ScreenID}
	return a.Room.Keys.AskLine("Keys for "+name+", such as Down,Enter", func(text string) tea.Cmd {
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

const (
	InTraffic kit.Scope = kit.InShell + 1 + iota // on one screen
	InAgents
	InThreads
	InNeeds
	InHealth
	InCompose // in what lies over them
	InTo
	InPalette
	InFilter
	InList
	InHelp
	InConfirm
	InPrompt
	InAnswer
	InTiles
	InReview
	InMerge
	InLaunch
	InWorkspaces
	scopes
)

var ScopeNames = [scopes]string{
	kit.InShell: "Everywhere",
	InTraffic:   "Traffic",
	InAgents:    "Agents",
	InThreads:   "Threads",
	InNeeds:     "Needs you",
	InHealth:    "Health",
	InCompose:   "Writing",
	InTo:        "Choosing recipients",
	InPalette:   "Command palette",
	InFilter:    "Filtering messages",
	InList:      "Filtering a list",
	InHelp:      "Page",
	InConfirm:   "Question",
	InPrompt:    "Text prompt",
	InAnswer:    "Answering a question",
	InTiles:     "Tiles",
	InReview:    "Review",
	InMerge:     "Merging",
	InLaunch:    "Launching an agent",

	InWorkspaces: "Your workspaces",
}

// ScreenScope returns the scope of a screen's own keys.
func ScreenScope(p Place) kit.Scope { return InTraffic + kit.Scope(p) }

const helpPage = 10 // lines of a page

// OpenHelp opens the page of all keys.
func (d *Shared) OpenHelp() tea.Cmd {
	d.Keys.Help = kit.Help{Open: true, From: ScreenScope(d.At)}
	return nil
}

// HelpKeys returns the keys of a page.
func (d *keyboard) HelpKeys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { d.Help.Top += n; return nil }
	}

	return []kit.Binding{
		verb.Down.To("down", by(1)).Hinted("scroll"),
		verb.Up.To("up", by(-1)),
		verb.PageDown.To("a page down", by(helpPage)),
		verb.PageUp.To("a page up", by(-helpPage)),
		verb.Back.To("close", func() tea.Cmd { d.Help.Open = false; return nil }, verb.Help, verb.Leave,
			verb.Open).Hinted("close"),
	}
}
