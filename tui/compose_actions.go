package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// writeTo opens the box for the agent or thread under the marker. It never does
// nothing: the next words would be taken for keys.
func (c *compose) writeTo() tea.Cmd {
	s := c.about()
	switch {
	case s.thread != nil:
		return c.write(address{thread: s.thread.ID}, "To the thread "+safeLine(s.thread.Title), "")
	case s.partnerID == "":
		return c.writeNew()
	}
	return c.write(address{agent: s.partnerID}, "To "+s.partner, s.partner)
}

// writeNew opens the box for recipients that are still to be named.
func (c *compose) writeNew() tea.Cmd {
	cmd := c.write(address{}, "To several", "")
	c.inTo = true
	return cmd
}

func (c *compose) broadcast() tea.Cmd {
	if (actions{shared: c.shared}).picks() {
		return c.writeToSelected()
	}
	return c.write(address{everyone: true}, "To all agents", parley.Everyone)
}

func (c *compose) reply() tea.Cmd {
	s, ok := c.about().answered()
	switch {
	case !ok:
		c.tell(unanswerable(&s, c.key("c")))
		return nil
	case s.message == "" && s.thread != nil:
		c.tell("No message to reply to here. enter goes to the posts.")
		return nil
	case s.message == "":
		c.tell("No message to reply to here.")
		return nil
	case s.threadID == "" && s.partnerID == "":
		c.tell("This went to several agents. Choose one (2) and press c, or b for all.")
		return nil
	}

	label, to := "Reply", address{agent: s.partnerID, replyTo: s.message}
	if s.partner != "" {
		label += " to " + s.partner
	}
	if s.threadID != "" {
		label, to = label+" in the thread", address{thread: s.threadID, replyTo: s.message}
	}

	return c.write(to, label+" about “"+fit(s.text, 40)+"”", "")
}

// unanswerable says why a notice of parley cannot be replied to, and what can be done.
func unanswerable(s *subject, write string) string {
	if about := s.notice.about; about != "" {
		return "parley reads no replies. To answer what this is about: parley reply " + parley.Short(about) + " \"…\""
	}
	return "parley reads no replies. " + write + " writes to " + cmp.Or(s.partner, "an agent") + "."
}

func (c *compose) steer() tea.Cmd {
	a := c.about().agent
	if a == nil {
		c.tell(whichAgent)
		return nil
	}
	return c.write(address{agent: a.ID, steer: true}, "Guidance for "+a.Name, "")
}

func (c *compose) newLine() tea.Cmd {
	c.box.InsertString("\n")
	return nil
}

// leave closes the box and keeps the draft.
func (c *compose) leave() tea.Cmd {
	c.draft.text = c.text()
	c.drafts.keep(c.draft)
	c.close()
	if !c.draft.blank() {
		c.tell("Draft kept. The same key reopens it.")
	}
	return nil
}

// send sends the draft in the box, and closes that: the next keys are for the screen, however long
// the daemon takes. The same content keeps its key: sent again after a failure, it arrives once.
func (c *compose) send() tea.Cmd {
	c.draft.text = c.text()
	if c.draft.blank() {
		c.tell("Nothing to send yet.")
		return nil
	}

	if content := c.draft.content(); c.draft.key == "" || c.draft.sent != content {
		c.draft.key, c.draft.sent = c.newKey(), content
	}

	c.drafts.forget(c.draft.to)
	c.drafts.posting[c.draft.key] = c.draft
	c.close()
	c.idle = true
	c.status = status{text: "Sending " + lowerFirst(c.draft.label) + "…"}

	return c.do.call(newParcel(c.draft, &c.team).send(c.do.now))
}

// sent takes the receipt, or the error.
func (c *compose) sent(msg sentMsg) tea.Cmd {
	delete(c.drafts.posting, msg.draft.key)
	if msg.err != nil {
		return c.notSent(msg.draft, msg.err)
	}

	receipt := &row{id: msg.id, count: max(1, len(msg.deliveries))}
	for _, d := range msg.deliveries {
		receipt.moved(d.RecipientID, d.State)
	}

	c.status = status{text: msg.draft.label, receipt: receipt}

	return c.link.lookLater()
}

// notSent keeps the draft and shows why. It opens the box again, unless the person went on to something
// else: their next keys are not for the box.
func (c *compose) notSent(d draft, err error) tea.Cmd {
	var cmds []tea.Cmd
	if c.link.gone(err) {
		cmds = append(cmds, c.link.lookLater())
	}

	if c.open && c.draft.to == d.to && c.draft.names != d.names {
		d = d.apart()
	}
	here := c.open && c.draft.to == d.to
	if here {
		c.draft.text = c.text()
		c.drafts.keep(c.draft)
	}

	c.drafts.restore(d)
	switch {
	case here, c.idle && !c.open:
		cmds = append(cmds, c.write(d.to, d.label, string(d.names)))
		c.err = err
	default:
		c.fail(err)
	}

	return tea.Batch(cmds...)
}

// writeToSelected opens the box for the selected agents.
func (c *compose) writeToSelected() tea.Cmd {
	var names []string
	for _, a := range c.picked.in(&c.team) {
		names = append(names, a.Name)
	}
	text := strings.Join(names, ", ")
	return c.write(address{several: text}, fmt.Sprintf("To %d selected", len(names)), text)
}
