package store

import (
	"cmp"
	"context"
	"slices"

	"parley"
)

// Append stores a message, its deliveries, a row of the agent log for each, and its
// events, all or nothing; when it returns they are durable. With a key that the sender
// has used before, it stores nothing and returns what was stored then, or INVALID_ARGUMENT
// if that was a thread or a file. AGENT_NOT_FOUND when the sender or a recipient is not
// stored, FILE_NOT_FOUND when one of its files is not, or was removed.
func (s *Messages) Append(ctx context.Context, p Post) (Appended, error) {
	var out Appended
	err := s.write(ctx, "storing the message", func(t *tx) error {
		out = Appended{}
		if found, err := findSent(t, p.Message.SenderID, p.IdempotencyKey, &out); found || err != nil {
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
			if err := recordAnswer(t, &p, &out); err != nil {
				return err
			}
		}

		return appendPost(t, &p, &out)
	})

	return out, err
}

// appendPost adds a message and everything that belongs to it to the transaction.
func appendPost(t *tx, p *Post, out *Appended) error {
	if p.Reach != nil {
		if err := addressPost(t, p); err != nil {
			return err
		}
	}

	if err := refuseRemoved(t, p.FileIDs); err != nil {
		return err
	}

	if p.Judge != nil {
		p.Judge(p.Deliveries)
	}

	m := p.Message
	if m.Timestamp.IsZero() {
		m.Timestamp = t.Now
	}

	m.Recipients = make([]string, len(p.Deliveries))
	for i := range p.Deliveries {
		m.Recipients[i] = p.Deliveries[i].RecipientID
	}

	seq, err := t.NextNumber("messages")
	if err != nil {
		return err
	}

	messagesTable.Add(t, newMessageRow{Message: &m, seq: seq, key: p.IdempotencyKey})
	wordsTable.Add(t, wordsRow{
		seq:        seq,
		text:       m.Text,
		senderID:   m.SenderID,
		threadID:   m.ThreadID,
		recipients: m.Recipients,
	})
	out.Message, out.Seq = m, seq
	attachFiles(t, p, seq)
	announce(t, p, seq)
	if err := claimNew(t, p, out); err != nil {
		return err
	}
	deliveriesTable.Add(t, newDeliveries(t, p, &m, seq, out)...)
	if m.RequiresResponse {
		addDebts(t, &m, seq, p.Deliveries)
	}

	logDeliveries(t, p, &m)

	return recordReply(t, p, seq)
}

// announce emits the event of a new message.
func announce(t *tx, p *Post, seq int64) {
	e := eventRow{
		Type:           p.Event,
		MessageSeq:     seq,
		RecipientCount: len(p.Deliveries),
		AgentID:        p.Member.AgentID,
		State:          string(p.Member.Status),
	}
	if len(p.Deliveries) == 1 && p.Event == parley.EventDirectMessage {
		e.RecipientID = p.Deliveries[0].RecipientID
	}
	emit(t, e)
}

// newDeliveries returns the rows of a post's deliveries, and sets out.Deliveries. It emits
// an event for each delivery that is settled, claimed or held already.
func newDeliveries(t *tx, p *Post, m *parley.Message, seq int64, out *Appended) []newDeliveryRow {
	rows := make([]newDeliveryRow, len(p.Deliveries))
	out.Deliveries = make([]parley.Delivery, len(p.Deliveries))
	var last []parley.Step // of the recipient before, and the same as the database stores it
	var lines string
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		change := d.change()
		steps := []parley.Step{change.step(t.Now)}
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
				Reason:         d.Reason,
				ReasonCode:     change.reasonCode(),
				QueuedAt:       nanos(t.Now),
				Withheld:       d.Withheld,
				WithheldUntil:  nanos(d.Until),
				Decision:       formatDecision(d.Decision),
			},
		}

		if d.State == parley.DeliveryRead {
			row.ReadAt = &row.QueuedAt
		}
		if paneSeq, ok := out.claims[d.RecipientID]; ok {
			change = Change{State: parley.DeliveryTyping}
			row.State, row.PaneSeq = string(change.State), int64(paneSeq)
			steps = append(steps, change.step(t.Now))
		}
		if !slices.Equal(steps, last) {
			last, lines = steps, linesOf(steps)
		}
		row.Steps = lines

		rows[i] = row
		out.Deliveries[i] = row.deliveryAfter(steps)
		if change.State != parley.DeliveryQueued { // the message's own event tells that
			emitDelivery(t, row.key(), change)
		}
	}

	return rows
}

// logDeliveries adds a row to the log of each recipient.
func logDeliveries(t *tx, p *Post, m *parley.Message) {
	summary := "Received " + string(m.Kind) + " message from agent " + parley.Short(m.SenderID)
	content := parley.Truncate(m.Text, logContent)
	for i := range p.Deliveries {
		id := p.Deliveries[i].RecipientID
		logTo(t, id, typeCommunication, summary, communication{
			SenderID:    m.SenderID,
			RecipientID: id,
			Type:        string(m.Type),
			Content:     content,
			Timestamp:   m.Timestamp,
		})
	}
}
