package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
)

// attach goes to the terminal of the agent under the marker.
func (a actions) attach() tea.Cmd {
	s := a.about().agent
	switch {
	case s == nil:
		a.tell(whichAgent)
	case s.Kind != parley.KindTerminal:
		a.tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		a.tell("Attaching to " + s.Name + "." + a.returnHint(s, " ", " returns."))
		return a.do.attach(s.Name)
	}
	return nil
}

// returnHint names the key that comes back from an agent's terminal, between two
// texts. It is empty for an adopted agent, which lives in the person's own tmux
// with their keys.
func (a actions) returnHint(s *parley.AgentStatus, before, after string) string {
	if s != nil && s.Adopted() {
		return ""
	}
	return before + a.returnKey + after
}

// attached gives the screen to the command that shows the terminal.
func (a actions) attached(msg attachMsg) tea.Cmd {
	if msg.err != nil {
		a.failed(msg.err)
		return nil
	}
	return a.do.show(msg.name, msg.cmd)
}

// openedBeside tells how to come back from a window beside the screen.
func (a actions) openedBeside(msg besideMsg) tea.Cmd {
	if msg.err != nil {
		return a.returned(returnedMsg(msg))
	}
	back := a.returnHint(a.team.named(msg.name), "; ", " closes it")
	a.tell(msg.name + " is open in a new window" + back + ".")
	return nil
}

// returned tells how the terminal was left.
func (a actions) returned(msg returnedMsg) tea.Cmd {
	switch {
	case msg.err == nil:
		a.tell("Back from " + msg.name + ".")
	case parley.ErrorCode(msg.err) != parley.Internal:
		a.failed(msg.err)
	default:
		a.fail(parley.Errorf(parley.TmuxUnavailable, "cannot show the terminal of %s: %w", msg.name, msg.err).
			Suggest("If it has ended, restart it: parley restart %s", msg.name))
	}
	return a.link.lookSoon()
}
