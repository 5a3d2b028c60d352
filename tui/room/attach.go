package room

import (
	tea "charm.land/bubbletea/v2"

	"parley"
)

// Attach goes to the terminal of the agent under the marker.
func (a Actions) Attach() tea.Cmd {
	s := a.About().Agent
	switch {
	case s == nil:
		a.Lacks(WhichAgent)
	case s.Kind != parley.KindTerminal:
		a.Tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		a.Tell("Attaching to " + s.Name + "." + a.ReturnHint(s, " ", " returns."))
		return a.Do.Attach(s.Name)
	}
	return nil
}

// ReturnHint names the key that comes back from an agent's terminal, between two
// texts. It is empty for an adopted agent, which lives in the person's own tmux
// with their keys.
func (d *keyboard) ReturnHint(s *parley.AgentStatus, before, after string) string {
	if s != nil && s.Adopted() {
		return ""
	}
	return before + d.returnKey + after
}

// Attaching gives the screen to the terminal of an agent, and takes it back.
type Attaching struct{ *Shared }

// Take takes what attaching reports.
func (a Attaching) Take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case AttachMsg:
		return a.attached(msg)
	case BesideMsg:
		return a.besides(msg)
	case ReturnedMsg:
		return a.returned(msg)
	}
	return nil
}

// attached gives the screen to the command that shows the terminal.
func (a Attaching) attached(msg AttachMsg) tea.Cmd {
	if msg.Err != nil {
		a.Failed(msg.Err)
		return nil
	}
	return a.Do.Show(msg.Name, msg.Cmd)
}

// besides tells how to come back from a window beside the screen.
func (a Attaching) besides(msg BesideMsg) tea.Cmd {
	if msg.Err != nil {
		return a.returned(ReturnedMsg(msg))
	}
	back := a.ReturnHint(a.Team.Named(msg.Name), "; ", " closes it")
	a.Tell(msg.Name + " is open in a new window" + back + ".")
	return nil
}

// returned tells how the terminal was left.
func (a Attaching) returned(msg ReturnedMsg) tea.Cmd {
	switch {
	case msg.Err == nil:
		a.Tell("Back from " + msg.Name + ".")
	case parley.ErrorCode(msg.Err) != parley.Internal:
		a.Failed(msg.Err)
	default:
		a.Fail(parley.Errorf(parley.TmuxUnavailable, "cannot show the terminal of %s: %w", msg.Name, msg.Err).
			Suggest("If it has ended, restart it: parley restart %s", msg.Name))
	}
	return a.Link.LookSoon()
}
