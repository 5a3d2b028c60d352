package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// subject is what the marker stands on, for those keys that mean the same on
// every screen.
type subject struct {
	agent     *parley.AgentStatus // whose terminal is meant; nil if nobody's
	partnerID string              // to whom an answer goes; "" when it went to several
	partner   string              // its name
	message   string              // a message's id
	text      string              // how that begins
	thread    *parley.Thread
	threadID  string // in which the message was said; "" when it was not said in one
}

// scope is where the next key goes; in the shell, the shown screen's come first.
func (m *model) scope() scope {
	switch {
	case m.confirm != nil:
		return inConfirm
	case m.prompt != nil:
		return inPrompt
	case m.help.open:
		return inHelp
	case m.palette.open:
		return inPalette
	case m.compose.open && m.compose.inTo:
		return inTo
	case m.compose.open:
		return inCompose
	case m.at == atTraffic && m.traffic.filter.open:
		return inFilter
	}

	return inShell
}

// press does what the table says of a key; what it does not know is text, where
// text is wanted.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	s := m.scope()
	if m.layout.small() {
		switch {
		case s == inCompose && key.Text != "": // the window shrank under somebody's hands
			return m.compose.update(key)
		case key.String() == "q", key.String() == "ctrl+c":
			return m.quit()
		}

		return nil // what cannot be seen is not to be changed
	}

	b := bound(s, key.String())
	if s == inShell {
		if own := bound(screenScope(m.at), key.String()); own != nil {
			b = own
		}
	}

	switch {
	case b != nil:
		if s == inShell {
			m.status.clear()
		}
		return b.run(m)
	case s == inCompose:
		return m.compose.update(key)
	case s == inTo:
		m.compose.typeTo(key)
	case s == inPalette:
		m.typeInPalette(key)
	case s == inFilter:
		m.traffic.filterBy(m.traffic.filter.text + key.Text)
	case s == inPrompt:
		m.prompt.write(key.Text)
	}

	return nil
}

func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if m.layout.small() && m.scope() != inCompose {
		return nil
	}

	switch m.scope() {
	case inCompose:
		return m.compose.update(msg)
	case inTo:
		m.compose.draft.names.insert(safeLine(msg.Content))
	case inPalette:
		m.palette.line.insert(safeLine(msg.Content))
		if m.palette.op == nil {
			m.seek()
		}
	case inFilter:
		m.traffic.filterBy(m.traffic.filter.text + safeLine(msg.Content))
	case inPrompt:
		m.prompt.write(safeLine(msg.Content))
	}

	return nil
}

// all is more lines than any list has.
const all = 1 << 30

// lines is how far a motion goes in a list of which height lines are shown.
func (by motion) lines(height int) int {
	return map[motion]int{lineUp: -1, lineDown: 1, pageUp: -max(1, height-1), pageDown: max(1, height-1), toTop: -all, toBottom: all}[by]
}

// quit leaves, but asks once when something written would be lost.
func (m *model) quit() tea.Cmd {
	unsent := m.compose.unsent()
	if len(unsent) == 0 || m.status.leaving || m.status.warned {
		return tea.Quit
	}
	m.tell(
		fmt.Sprintf("Not sent: %s. The same key again leaves it behind.", strings.ToLower(strings.Join(unsent, ", "))),
	)
	m.status.leaving = true
	return nil
}

// other is the agent that the operator means when a message is under the
// marker: who sent it, or, when that was the operator, who got it.
func (r *row) other() (id, name string) {
	if r.from == you {
		return r.toID, r.to
	}
	return r.fromID, r.from
}

func (m *model) attach() tea.Cmd {
	s := m.screen().about().agent
	switch {
	case s == nil:
		m.tell("Which agent? Choose one first (2).")
	case s.Kind != parley.KindTerminal:
		m.tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		m.tell("Going to " + s.Name + "." + unlessAdopted(s, " "+m.returnKey+" brings you back."))
		return m.do.attach(s.Name)
	}
	return nil
}

func (m *model) attached(msg attachMsg) tea.Cmd {
	if msg.err != nil {
		m.daemonGone(msg.err)
		m.fail(msg.err)
		return nil
	}
	return m.do.show(msg.name, msg.cmd)
}

// unlessAdopted is what is said of the key that comes back: an adopted agent is in a
// tmux of the person's own, with keys of their own.
func unlessAdopted(s *parley.AgentStatus, words string) string {
	if s.Adopted() {
		return ""
	}
	return words
}

// isBeside tells how to come back from a window beside the screen.
func (m *model) isBeside(msg besideMsg) tea.Cmd {
	if msg.err == nil {
		back := "; " + m.returnKey + " there closes it and comes back"
		if slices.ContainsFunc(
			m.team.list,
			func(s parley.AgentStatus) bool { return s.Name == msg.name && s.Adopted() },
		) {
			back = ""
		}
		m.tell(msg.name + " is in a window of its own" + back + ".")
		return nil
	}
	return m.returned(returnedMsg(msg))
}

func (m *model) returned(msg returnedMsg) tea.Cmd {
	if msg.err == nil {
		m.tell("Back from " + msg.name + ".")
		return m.lookSoon()
	}
	if e, ok := errors.AsType[*parley.Error](msg.err); ok {
		m.daemonGone(e)
		m.fail(e)
		return m.lookSoon()
	}
	m.fail(parley.Errorf(parley.TmuxUnavailable, "the terminal of %s could not be shown: %w", msg.name, msg.err).
		Suggest("If it has ended, restart it: parley restart %s", msg.name))
	return m.lookSoon()
}
