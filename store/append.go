package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley"
	"parley/plain"
)

// Append stores a message, its deliveries, a row of the agent log for each, and its
// events, all or nothing; when it returns they are durable. With a key that the sender
// has used before, it stores nothing and returns what was stored then, or INVALID_ARGUMENT
// if that was a thread or a file. AGENT_NOT_FOUND when the sender or a recipient is not
// stored, FILE_NOT_FOUND when one of its files is not, or was removed.
func (s *Messages) Append(ctx context.Context, p Post) (Appended, error) {
	var out Appended
	err := s.db.write(ctx, "storing the message", func(t *tx) error {
		out = Appended{}
		p := p // a change may be made again
		post := posting{t, &p, &out}
		if found, err := post.findSent(); found || err != nil {
			return err
		}

		if p.Admit != nil {
			if err := p.Admit(); err != nil {
				return err
			}
		}

		if p.Answers != nil {
			if p.Judge != nil && len(p.Answers.Delegates) > 0 {
				p.Judge(p.Answers.Delegates)
			}
			if err := post.answer(); err != nil {
				return err
			}
		}

		return post.append()
	})

	return out, err
}

// append adds a message and everything that belongs to it to the transaction.
func (p posting) append() error {
	if p.Reach != nil {
		if err := p.address(); err != nil {
			return err
		}
	}

	if p.Time != nil {
		if err := p.takeTime(); err != nil {
			return err
		}
	}

	if err := (filesIn{p.tx}).refuseRemoved(p.FileIDs); err != nil {
		return err
	}

	if p.Judge != nil {
		p.Judge(p.Deliveries)
	}

	m := p.Message
	if m.Timestamp.IsZero() {
		m.Timestamp = p.tx.Now
	}

	m.Recipients = make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		m.Recipients[i] = p.Deliveries[i].RecipientID
	}

	seq, err := p.tx.NextNumber("messages")
	if err != nil {
		return err
	}

	messagesTable.Add(p.tx, newMessageRow{Message: &m, seq: seq, key: p.IdempotencyKey})
	wordsTable.Add(p.tx, wordsRow{
		seq:        seq,
		text:       m.Text,
		senderID:   m.SenderID,
		threadID:   m.ThreadID,
		recipients: m.Recipients,
	})
	p.out.Message, p.out.Seq = m, seq
	p.attach(seq)
	p.announce(seq)
	if err := p.claim(); err != nil {
		return err
	}
	deliveriesTable.Add(p.tx, p.deliveries(&m, seq)...)
	if m.RequiresResponse {
		addDebts(p.tx, &m, seq, p.Deliveries)
	}

	p.log(&m)

	return p.recordReply(seq)
}

// announce emits the event of a new message.
func (p posting) announce(seq int64) {
	e := eventRow{
		Type:           p.Event,
		MessageSeq:     seq,
		RecipientCount: len(p.Deliveries),
		AgentID:        p.Member.AgentID,
		State:          string(p.Member.Status),
		Detail:         p.Program,
	}
	if len(p.Deliveries) == 1 && p.Event == parley.EventDirectMessage {
		e.RecipientID = p.Deliveries[0].RecipientID
	}
	emit(p.tx, e)
}

// deliveries returns the rows of a post's deliveries, and sets out.Deliveries. It emits
// an event for each delivery that is settled, claimed or held already.
func (p posting) deliveries(m *parley.Message, seq int64) []newDeliveryRow {
	rows := make([]newDeliveryRow, len(p.Deliveries))
	p.out.Deliveries = make([]parley.Delivery, len(p.Deliveries))
	var last []parley.Step // of the recipient before, and the same as the database stores it
	var lines string
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		change := d.change()
		steps := []parley.Step{change.step(p.tx.Now)}
		row := newDeliveryRow{
			kind:   string(m.Kind),
			urgent: m.Priority == parley.PriorityUrgent,
			deliveryRow: deliveryRow{
				MessageID:      m.ID,
				MessageSeq:     seq,
				RecipientID:    d.RecipientID,
				Recipient:      d.Recipient,
				ConversationID: cmp.Or(m.ThreadID, parley.ConversationID(m.SenderID, d.RecipientID)),
				State:          string(d.State),
				Reason:         change.Reason().Words(),
				ReasonCode:     string(change.Reason().Code()),
				QueuedAt:       nanos(p.tx.Now),
				Withheld:       d.Withheld,
				WithheldUntil:  nanos(d.Until),
				Decision:       formatDecision(d.Decision),
			},
		}

		if d.State == parley.DeliveryRead {
			row.ReadAt = &row.QueuedAt
		}
		if paneSeq, ok := p.out.claims[d.RecipientID]; ok {
			change = Change{State: parley.DeliveryTyping}
			row.State, row.PaneSeq = string(change.State), int64(paneSeq)
			steps = append(steps, change.step(p.tx.Now))
		}
		if !slices.Equal(steps, last) {
			last, lines = steps, linesOf(steps)
		}
		row.Steps = lines

		rows[i] = row
		p.out.Deliveries[i] = row.deliveryAfter(steps)
		if change.State != parley.DeliveryQueued { // the message's own event tells that
			deliveriesIn{p.tx}.emit(row.key(), change)
		}
	}

	return rows
}

// log adds a row to the log of each recipient.
func (p posting) log(m *parley.Message) {
	summary := "Received " + string(m.Kind) + " message from agent " + parley.Short(m.SenderID)
	content := plain.Truncate(m.Text, logContent)
	for i := range p.Deliveries {
		id := p.Deliveries[i].RecipientID
		agentsIn{p.tx}.log(id, typeCommunication, summary, communication{
			SenderID:    m.SenderID,
			RecipientID: id,
			Type:        string(m.Type),
			Content:     content,
			Timestamp:   m.Timestamp,
		})
	}
}

// takeTime takes the time of the message, and leaves out the recipients who have an earlier one before them.
func (p posting) takeTime() error {
	var sent int
	err := p.tx.Query(&sent, `SELECT count(*) FROM messages WHERE schedule_id = ? AND due_at = ? AND schedule_id <> ''`,
		p.Time.ScheduleID, nanos(p.Time.Due))
	if err != nil {
		return err
	}
	if sent > 0 {
		return ErrTimeSent
	}

	ids := make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		ids[i] = p.Deliveries[i].RecipientID
	}
	var waiting []struct{ ID, Name string }
	if len(ids) > 0 {
		err = p.tx.Query(&waiting, `SELECT DISTINCT a.id, a.name FROM deliveries d
			JOIN messages m ON m.seq = d.message_seq JOIN agents a ON a.id = d.recipient_id
			WHERE d.recipient_id IN ? AND d.read_at IS NULL AND d.state IN ('queued', 'held', 'typing', 'submitted')
				AND m.schedule_id = ? AND a.kind IN ('terminal', 'mailbox') ORDER BY a.name`, ids, p.Time.ScheduleID)
	}
	if err != nil {
		return err
	}
	if len(waiting) > 0 && len(waiting) == len(ids) {
		return ErrStillWaits
	}

	var names []string
	for _, w := range waiting {
		names = append(names, w.Name)
		p.Deliveries = slices.DeleteFunc(slices.Clone(p.Deliveries),
			func(d NewDelivery) bool { return d.RecipientID == w.ID })
	}
	reason := ""
	if len(names) > 0 {
		reason = "not to " + strings.Join(names, ", ") + ": an earlier one still waits there"
	}

	return takeTime(p.tx, *p.Time, parley.ScheduleSent, reason, p.Message.ID)
}
