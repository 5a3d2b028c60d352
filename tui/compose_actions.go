package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// writeTo opens the box for the agent under the marker.
func (m *model) writeTo() tea.Cmd {
	s := m.screen().about()
	switch {
	case s.thread != nil:
		return m.compose.write(address{thread: s.thread.ID}, "To the thread "+safeLine(s.thread.Title), "")
	case s.partnerID == "":
		return m.writeNew() // never nothing: what one types next would be taken for keys
	}
	return m.compose.write(address{agent: s.partnerID}, "To "+s.partner, s.partner)
}

func (m *model) reply() tea.Cmd {
	s := m.screen().about()
	switch {
	case s.message == "":
		m.tell("There is no message to reply to here.")
		if s.thread != nil {
			m.tell("There is no message to reply to here. enter goes to the posts.")
		}
		return nil
	case s.threadID != "":
		label := "Reply in the thread"
		if s.partner != "" {
			label = "Reply to " + s.partner + " in the thread"
		}
		return m.compose.write(
			address{thread: s.threadID, replyTo: s.message},
			label+" about “"+fit(s.text, 40)+"”",
			"",
		)
	case s.partnerID == "":
		m.tell("This went to several. Choose an agent (2) and c, or b for all of them.")
		return nil
	}

	return m.compose.write(
		address{agent: s.partnerID, replyTo: s.message},
		"Reply to "+s.partner+" about “"+fit(s.text, 40)+"”",
		"",
	)
}

func (m *model) broadcast() tea.Cmd {
	return m.compose.write(address{everyone: true}, "To all agents", parley.Everyone)
}

func (m *model) steer() tea.Cmd {
	a := m.screen().about().agent
	if a == nil {
		m.tell("Whom? Choose an agent (2) first.")
		return nil
	}
	return m.compose.write(address{agent: a.ID, steer: true}, "Guidance for "+a.Name, "")
}

// writeNew opens the box for whom one will name.
func (m *model) writeNew() tea.Cmd {
	cmd := m.compose.write(address{}, "To several", "")
	m.compose.inTo = true
	return cmd
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
		if !m.compose.sending() {
			m.tell("There is nothing to send yet.")
		}
		return nil
	}
	return m.do.send(m.compose.parcel(d))
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
