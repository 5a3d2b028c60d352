package compose

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// WriteTo opens the box for the agent or thread under the marker. It never does
// nothing: the next words would be taken for keys.
func (c *Box) WriteTo() tea.Cmd {
	s := c.room.About()
	switch {
	case s.Thread != nil:
		return c.Write(room.Address{Thread: s.Thread.ID}, "To the thread "+kit.SafeLine(s.Thread.Title), "")
	case s.PartnerID == "":
		return c.WriteNew()
	}
	return c.Write(room.Address{Agent: s.PartnerID}, "To "+s.Partner, s.Partner)
}

// WriteNew opens the box for recipients that are still to be named.
func (c *Box) WriteNew() tea.Cmd {
	cmd := c.Write(room.Address{}, "To several", "")
	c.Form.InTo = true
	return cmd
}

// Broadcast writes to the selected agents, else to all.
func (c *Box) Broadcast() tea.Cmd {
	if c.room.Picks() {
		return c.writeToSelected()
	}
	return c.Write(room.Address{Everyone: true}, "To all agents", parley.Everyone)
}

// Reply answers the message under the marker.
func (c *Box) Reply() tea.Cmd {
	s, ok := c.room.About().Answered()
	switch {
	case !ok:
		c.room.Tell(unanswerable(&s, c.room.Key("c")))
		return nil
	case s.Message == "" && s.Thread != nil:
		c.room.Lacks("No message to reply to here. enter goes to the posts.")
		return nil
	case s.Message == "":
		c.room.Lacks("No message to reply to here.")
		return nil
	case s.ThreadID == "" && s.PartnerID == "":
		c.room.Tell("This went to several agents. Choose one (2) and press c, or b for all.")
		return nil
	}

	label, to := "Reply", room.Address{Agent: s.PartnerID, ReplyTo: s.Message}
	if s.Partner != "" {
		label += " to " + s.Partner
	}
	if s.ThreadID != "" {
		label, to = label+" in the thread", room.Address{Thread: s.ThreadID, ReplyTo: s.Message}
	}

	return c.Write(to, label+" about “"+kit.Fit(s.Text, 40)+"”", "")
}

// unanswerable says why a notice of parley cannot be replied to, and what can be done.
func unanswerable(s *room.Subject, write string) string {
	if about := s.Notice.About; about != "" {
		return "parley reads no replies. To answer what this is about: parley reply " + parley.Short(about) + " \"…\""
	}
	return "parley reads no replies. " + write + " writes to " + cmp.Or(s.Partner, "an agent") + "."
}

// Steer writes guidance for the agent under the marker.
func (c *Box) Steer() tea.Cmd {
	a := c.room.About().Agent
	if a == nil {
		c.room.Lacks(room.WhichAgent)
		return nil
	}
	return c.Write(room.Address{Agent: a.ID, Steer: true}, "Guidance for "+a.Name, "")
}

func (c *Box) newLine() tea.Cmd {
	c.box.InsertString("\n")
	return nil
}

// leave closes the box and keeps the draft.
func (c *Box) leave() tea.Cmd {
	c.Form.Draft.Text = c.text()
	c.room.Drafts.Keep(c.Form.Draft)
	c.close()
	if !c.Form.Draft.Blank() {
		c.room.Tell("Draft kept. The same key reopens it.")
	}
	return nil
}

// send sends the draft in the box, and closes that: the next keys are for the screen, however long
// the daemon takes. The same content keeps its key: sent again after a failure, it arrives once.
func (c *Box) send() tea.Cmd {
	c.Form.Draft.Text = c.text()
	if c.Form.Draft.Blank() {
		c.room.Tell("Nothing to send yet.")
		return nil
	}

	if content := c.Form.Draft.Content(); c.Form.Draft.Key == "" || c.Form.Draft.Sent != content {
		c.Form.Draft.Key, c.Form.Draft.Sent = c.newKey(), content
	}

	c.room.Drafts.Forget(c.Form.Draft.To)
	c.room.Drafts.Posting[c.Form.Draft.Key] = c.Form.Draft
	c.close()
	c.Idle = true
	c.room.Status = room.Status{Text: "Sending " + kit.LowerFirst(c.Form.Draft.Label) + "…"}

	return c.room.Do.Call(newParcel(c.Form.Draft, &c.room.Team).send(c.room.Do.Now))
}

// Sent takes the receipt, or the error.
func (c *Box) Sent(msg room.SentMsg) tea.Cmd {
	delete(c.room.Drafts.Posting, msg.Draft.Key)
	if msg.Err != nil {
		return c.notSent(msg.Draft, msg.Err)
	}

	receipt := &team.Row{ID: msg.ID, Count: max(1, len(msg.Deliveries))}
	for _, d := range msg.Deliveries {
		receipt.Moved(d.RecipientID, d.State, d.ReasonCode)
	}

	c.room.Status = room.Status{Text: msg.Draft.Label, Receipt: receipt}

	return c.room.Link.LookLater()
}

// notSent keeps the draft and shows why. It opens the box again, unless the person went on to something
// else: their next keys are not for the box.
func (c *Box) notSent(d room.Draft, err error) tea.Cmd {
	var cmds []tea.Cmd
	if c.room.Link.Gone(err) {
		cmds = append(cmds, c.room.Link.LookLater())
	}

	if c.Open && c.Form.Draft.To == d.To && c.Form.Draft.Names != d.Names {
		d = d.Apart()
	}
	here := c.Open && c.Form.Draft.To == d.To
	if here {
		c.Form.Draft.Text = c.text()
		c.room.Drafts.Keep(c.Form.Draft)
	}

	c.room.Drafts.Restore(d)
	switch {
	case here, c.Idle && !c.Open:
		cmds = append(cmds, c.Write(d.To, d.Label, string(d.Names)))
		c.err = err
	default:
		c.room.Fail(err)
	}

	return tea.Batch(cmds...)
}

// writeToSelected opens the box for the selected agents.
func (c *Box) writeToSelected() tea.Cmd {
	var names []string
	for _, a := range c.room.Picked.In(&c.room.Team) {
		names = append(names, a.Name)
	}
	text := strings.Join(names, ", ")
	return c.Write(room.Address{Several: text}, fmt.Sprintf("To %d selected", len(names)), text)
}

// parcel is a draft with its recipients parsed.
type parcel struct {
	room.Draft
	ids      []string
	group    string
	everyone bool
}

func newParcel(d room.Draft, t *team.Roster) parcel {
	p := parcel{Draft: d}
	if d.Names != d.First {
		p.Label = "To " + strings.TrimRight(string(d.Names), ", ")
	} else if d.To.Agent != "" {
		p.ids = []string{d.To.Agent}
		return p
	}

	p.ids, p.group, p.everyone = t.Recipients(string(d.Names))

	return p
}

func (p parcel) send(now func() time.Time) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := room.SentMsg{Draft: p.Draft}
		switch {
		case p.To.Steer:
			r := parley.SteerAgentRequest{Agent: parley.Names{p.To.Agent}, Text: p.Text, IdempotencyKey: p.Key}
			if res, err := op.SteerAgent.Call(ctx, s, r); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		case (p.everyone || p.group != "") && p.Due == 0:
			r := parley.BroadcastMessageRequest{
				Text: p.Text, Group: p.group, Priority: p.Prio, IdempotencyKey: p.Key,
			}
			if res, err := op.BroadcastMessage.Call(ctx, s, r); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		default:
			if res, err := op.SendMessage.Call(ctx, s, p.request(now())); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		}

		return msg
	}
}

func (p parcel) request(now time.Time) parley.SendMessageRequest {
	r := parley.SendMessageRequest{
		To:             p.ids,
		ThreadID:       p.To.Thread,
		Text:           p.Text,
		Priority:       p.Prio,
		InReplyTo:      p.To.ReplyTo,
		IdempotencyKey: p.Key,
	}

	if p.everyone {
		r.To = parley.Names{parley.Everyone}
	}

	if p.Due > 0 {
		deadline := now.Add(p.Due)
		r.RequiresResponse, r.ResponseDeadline, r.Type = true, &deadline, parley.TypeRequest
	}

	return r
}
