package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// scope is where the next key goes.
func (m *model) scope() scope {
	switch {
	case m.help.open, m.needs.open:
		return inHelp
	case m.compose.open:
		return inCompose
	case m.filter.open:
		return inFilter
	}
	return inLists
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
	if b := bound(s, key.String()); b != nil {
		if s == inLists {
			m.status.clear()
		}
		return b.run(m)
	}
	switch s {
	case inCompose:
		return m.compose.update(key)
	case inFilter:
		m.filterBy(m.filter.text + key.Text)
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
		m.filterBy(m.filter.text + safeLine(msg.Content))
	}
	return nil
}

// move goes n lines in the pane that has the keys.
func (m *model) move(n int) tea.Cmd {
	switch m.focus {
	case onAgents:
		m.agents.move(n)
	case onDetail:
		m.detail.move(n)
	default:
		m.traffic.move(n)
	}
	return nil
}

func (m *model) page() int {
	if m.focus == onDetail {
		return max(1, m.detail.height-1)
	}
	return max(1, m.traffic.height-1)
}

// all is more lines than any pane has.
const all = 1 << 30

func (m *model) up() tea.Cmd       { return m.move(-1) }
func (m *model) down() tea.Cmd     { return m.move(1) }
func (m *model) pageUp() tea.Cmd   { return m.move(-m.page()) }
func (m *model) pageDown() tea.Cmd { return m.move(m.page()) }
func (m *model) toTop() tea.Cmd    { return m.move(-all) }

// toBottom goes to the newest message, and stays there as others come.
func (m *model) toBottom() tea.Cmd {
	if m.focus == onTraffic {
		m.traffic.setFollow(true)
		return nil
	}
	return m.move(all)
}

func (m *model) toggleFollow() tea.Cmd {
	m.traffic.setFollow(!m.traffic.follow)
	return nil
}

func (m *model) nextPane() tea.Cmd {
	switch {
	case m.focus == onTraffic && m.detail.open:
		m.focus = onDetail
	case m.focus == onAgents:
		m.focus = onTraffic
	default:
		m.focus = onAgents
	}
	return nil
}

// enter opens what is under the marker.
func (m *model) enter() tea.Cmd {
	switch {
	case m.focus == onAgents:
		return m.attach()
	case m.detail.open:
		m.closeDetail()
	case m.traffic.sel != nil:
		m.traffic.setFollow(false)
		m.detail.open = true
		m.detail.show(m.traffic.sel.id)
		return m.askDetail()
	default:
		m.tell("There is no message to open yet.")
	}
	return nil
}

func (m *model) closeDetail() {
	m.detail.close()
	if m.focus == onDetail {
		m.focus = onTraffic
	}
}

func (m *model) back() tea.Cmd {
	if m.detail.open {
		m.closeDetail()
		return nil
	}
	return m.dropFilter()
}

func (m *model) openHelp() tea.Cmd  { m.help.open, m.help.top = true, 0; return nil }
func (m *model) closeHelp() tea.Cmd { m.help.open, m.needs.open = false, false; return nil }
func (m *model) helpDown() tea.Cmd  { m.help.top++; m.needs.top++; return nil }
func (m *model) helpUp() tea.Cmd    { m.help.top--; m.needs.top--; return nil }

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
	if s := m.agents.selected(); s != nil && (m.focus == onAgents || m.traffic.sel == nil) {
		return m.compose.write(address{agent: s.ID}, "To "+s.Name)
	}
	if r := m.traffic.sel; r != nil {
		if id, name := r.other(); id != "" {
			return m.compose.write(address{agent: id}, "To "+name)
		}
	}
	m.tell("To whom? Choose an agent (tab), or b for all of them.")
	return nil
}

func (m *model) reply() tea.Cmd {
	r := m.traffic.sel
	if r == nil {
		m.tell("There is no message to reply to yet.")
		return nil
	}
	id, name := r.other()
	if id == "" {
		m.tell("This went to several. Choose an agent (tab) and c, or b for all of them.")
		return nil
	}
	return m.compose.write(address{agent: id, replyTo: r.id}, "Reply to "+name+" about “"+fit(r.text, 40)+"”")
}

func (m *model) broadcast() tea.Cmd {
	return m.compose.write(address{everyone: true}, "To all agents")
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
	m.traffic.learn(msg.id, msg.deliveries)
	return m.lookLater()
}

// subject is the agent whose terminal is meant: the one under the marker, or the
// one a message was typed to, else the one that sent it.
func (m *model) subject() *parley.AgentStatus {
	r := m.traffic.sel
	if m.focus == onAgents || r == nil {
		return m.agents.selected()
	}
	for _, id := range []string{r.toID, r.fromID} {
		if s := m.agents.find(id); s != nil && s.Kind == parley.KindTerminal {
			return s
		}
	}
	return m.agents.find(r.fromID)
}

func (m *model) attach() tea.Cmd {
	s := m.subject()
	switch {
	case s == nil:
		m.tell("Which agent? Choose one first (tab).")
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
