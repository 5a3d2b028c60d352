package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// takesKeys reports whether the need is a screen that may be sent keys, also beside its options.
func (n *need) takesKeys() bool {
	return n.Kind == parley.NeedDialog && (n.Dialog == nil || !n.Dialog.Secret)
}

// needsKeys reports whether nothing but keys answers the need.
func (n *need) needsKeys() bool { return n.takesKeys() && !n.answerable() }

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

	return room.Keys{Actions: n.Actions}.Look(x.AgentID)
}

// keysBesideOptions leaves the options of the question for keys.
func (n Answering) keysBesideOptions() tea.Cmd {
	if n.Question.Names("k") {
		return n.AnswerKey("k")
	}
	n.Question = nil
	return n.lookForKeys()
}

// askKeys shows the screen that was seen, and asks which keys it is to get.
func (n Answering) askKeys(msg room.KeyScreenMsg) tea.Cmd {
	x := n.selected()
	if n.At != room.AtNeeds || n.Prompt != nil || x == nil || x.AgentID != msg.AgentID {
		return nil // the person has gone on
	}

	cmd, takes := room.Keys{Actions: n.Actions}.Ask(msg, x.Agent)
	if takes && x.Dialog == nil {
		n.report.sees(msg.AgentID, msg.Seen.Screen)
		n.gather()
	}
	return cmd
}

// hintsOf draws what a dialog says of its keys.
func (n *needDetail) hintsOf(d *parley.Dialog, w int) []string {
	lines := []string{n.Theme.Accent.Render("  K ") + " sends keys"}
	if d.Hints == "" {
		return lines
	}
	for _, part := range kit.Wrap("It says: "+kit.SafeLine(d.Hints), max(2, w-5)) {
		lines = append(lines, n.Theme.Dim.Render("     "+part))
	}
	return lines
}
