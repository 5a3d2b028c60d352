package tui

import (
	"fmt"
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
}

// scope is where the next key goes; in the shell, the shown screen's come first.
func (m *model) scope() scope {
	switch {
	case m.confirm != nil:
		return inConfirm
	case m.help.open:
		return inHelp
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
		if key.String() == "q" || key.String() == "ctrl+c" {
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
	case s == inFilter:
		m.traffic.filterBy(m.traffic.filter.text + key.Text)
	}
	return nil
}

func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	if m.layout.small() {
		return nil
	}
	switch m.scope() {
	case inCompose:
		return m.compose.update(msg)
	case inFilter:
		m.traffic.filterBy(m.traffic.filter.text + safeLine(msg.Content))
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
	m.tell(fmt.Sprintf("Not sent: %s. q again leaves it behind.", strings.ToLower(strings.Join(unsent, ", "))))
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

// writeTo opens the box for the agent under the marker.
func (m *model) writeTo() tea.Cmd {
	s := m.screen().about()
	if s.partnerID == "" {
		m.tell("To whom? Choose an agent (2), or b for all of them.")
		return nil
	}
	return m.compose.write(address{agent: s.partnerID}, "To "+s.partner)
}

func (m *model) reply() tea.Cmd {
	s := m.screen().about()
	switch {
	case s.message == "":
		m.tell("There is no message to reply to here.")
		return nil
	case s.partnerID == "":
		m.tell("This went to several. Choose an agent (2) and c, or b for all of them.")
		return nil
	}
	return m.compose.write(address{agent: s.partnerID, replyTo: s.message}, "Reply to "+s.partner+" about “"+fit(s.text, 40)+"”")
}

func (m *model) broadcast() tea.Cmd {
	return m.compose.write(address{everyone: true}, "To all agents")
}

func (m *model) steer() tea.Cmd {
	a := m.screen().about().agent
	if a == nil {
		m.tell("Whom? Choose an agent (2) first.")
		return nil
	}
	return m.compose.write(address{agent: a.ID, steer: true}, "Guidance for "+a.Name)
}

func (m *model) newLine() tea.Cmd {
	if !m.compose.sending() {
		m.compose.box.InsertString("\n")
	}
	return nil
}

func (m *model) leaveCompose() tea.Cmd {
	m.compose.keep()
	if strings.TrimSpace(m.compose.draft.text) != "" {
		m.tell("The draft is kept. The same key goes on with it.")
	}
	return nil
}

func (m *model) post() tea.Cmd {
	d, ok := m.compose.post()
	if !ok {
		return nil
	}
	return m.do.send(d)
}

// sent takes the receipt, or what went wrong.
func (m *model) sent(msg sentMsg) tea.Cmd {
	m.compose.posted(msg)
	if msg.err != nil {
		gone := m.daemonGone(msg.err)
		if !m.compose.open {
			m.fail(msg.err)
		}
		if gone {
			return m.lookLater()
		}
		return nil
	}
	receipt := &row{id: msg.id, count: max(1, len(msg.deliveries))}
	for _, d := range msg.deliveries {
		receipt.moved(d.RecipientID, d.State)
	}
	m.status = status{text: msg.draft.label, receipt: receipt}
	return m.lookLater()
}

func (m *model) attach() tea.Cmd {
	s := m.screen().about().agent
	switch {
	case s == nil:
		m.tell("Which agent? Choose one first (2).")
	case s.Kind != parley.KindTerminal:
		m.tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		m.tell(fmt.Sprintf("Going to %s. %s brings you back.", s.Name, m.returnKey))
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

func (m *model) returned(msg returnedMsg) tea.Cmd {
	m.tell("Back from " + msg.name + ".")
	if msg.err != nil {
		m.fail(parley.Errorf(parley.TmuxUnavailable, "the terminal of %s could not be shown: %w", msg.name, msg.err).
			Suggest("If it has ended, restart it: parley restart %s", msg.name))
	}
	return m.lookSoon()
}
