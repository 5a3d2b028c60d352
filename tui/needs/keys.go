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
func (n *answering) lookForKeys() tea.Cmd {
	x := n.list.selected()
	switch {
	case x == nil:
		n.room.Lacks(nothingNeeded)
		return nil
	case !x.takesKeys():
		n.room.Tell("It takes no keys from here.")
		return nil
	case n.list.tooQuick(n.room):
		return nil
	}

	return n.acts.LookForKeys(x.AgentID)
}

// keysBesideOptions leaves the options of the question for keys.
func (n *answering) keysBesideOptions() tea.Cmd {
	if n.Question.Names("k") {
		return n.Choose("k")
	}
	n.Question = nil
	return n.lookForKeys()
}

// askKeys shows the screen that was seen, and asks which keys it is to get. It reports whether a need without a
// question takes them.
func (n *answering) askKeys(msg room.KeyScreenMsg) (ask tea.Cmd, takes bool) {
	x := n.list.selected()
	if n.room.At != room.AtNeeds || n.room.Keys.Prompt != nil || x == nil || x.AgentID != msg.AgentID {
		return nil, false // the person has gone on
	}

	ask, takes = n.acts.AskKeys(msg, x.Agent)
	return ask, takes && x.Dialog == nil
}

// hintsOf draws what a dialog says of its keys.
func (n *needDetail) hintsOf(d *parley.Dialog, w int) []string {
	lines := []string{n.room.Theme.Accent.Render("  K ") + " sends keys"}
	if d.Hints == "" {
		return lines
	}
	for _, part := range kit.Wrap("It says: "+kit.SafeLine(d.Hints), max(2, w-5)) {
		lines = append(lines, n.room.Theme.Dim.Render("     "+part))
	}
	return lines
}
