package store

import (
	"parley"
)

// Answering is what a reply is to the message that it answers. Its sender is a
// recipient of that message, and the one who sent that message gets the reply.
type Answering struct {
	MessageID string                // the message that is answered
	Status    parley.ResponseStatus // of a formal response; "" for a plain reply
	Delegates []NewDelivery         // who is to answer it instead
}

// answered is the last rung, by the id of the reply.
func answered(by string) Change {
	return Change{State: parley.DeliveryAnswered, Evidence: "message " + parley.Short(by), Code: parley.ProofReply}
}

// original is a message that is answered, as it stands with who answers it.
type original struct {
	Message  messageRow  `gorm:"embedded"`
	Delivery deliveryRow `gorm:"embedded"`
	Debt     string      // the debt's state; "" for none
	Due      int64
}

// answer records that a message answers another: on that one's delivery and on the
// debt, if there is one. A formal response that is not owed is refused.
func recordAnswer(t *tx, p *Post, out *Appended) error {
	by, a := p.Message.SenderID, p.Answers
	var found []original
	err := t.query(
		&found,
		`SELECT `+messageColumns+`, `+deliveryColumns+`, coalesce(b.state, '') AS debt, coalesce(b.due_at, 0) AS due
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		LEFT JOIN debts b ON b.message_seq = d.message_seq AND b.debtor_id = d.recipient_id WHERE m.id = ?`,
		by,
		a.MessageID,
	)
	if err == nil && len(found) == 0 && a.Status != "" { // a post to a thread that it joined later
		err = notOwed(a.MessageID)
	}
	if err != nil || len(found) == 0 {
		return err
	}

	o := &found[0]
	owed := parley.ResponseStatus(o.Debt).Owed()
	late := owed && nanos(t.now) > o.Due
	if a.Status != "" {
		if err := o.refuse(owed, late); err != nil {
			return err
		}
	}

	if err := settleDebt(t, o, p, owed, late, out); err != nil {
		return err
	}
	if o.Delivery.AnsweredBy != "" {
		return nil
	}

	out.Updated = true

	return markAnswered(t, &o.Delivery, p.Message.ID)
}

// refuse says why a formal response is none.
func (o *original) refuse(owed, late bool) error {
	short := parley.Short(o.Message.ID)
	switch {
	case o.Debt == "":
		return notOwed(short)
	case !owed:
		return parley.Errorf(parley.ResponseNotRequired, "message %s has your response already: it is %s", short, o.Debt).
			With("state", o.Debt).
			Suggest("Leave status out to add something as a plain reply.")
	case late:
		due := instant(o.Due)
		return parley.Errorf(parley.DeadlinePassed, "the response to message %s was due at %s", short, due.Format("2006-01-02T15:04:05Z07:00")).
			With("response_deadline", due).
			Suggest("Leave status out: a plain reply is still delivered, and marked as late.")
	}

	return nil
}

func notOwed(id string) error {
	return parley.Errorf(parley.ResponseNotRequired, "message %s requires no response of yours", parley.Short(id)).
		Suggest("Leave status out to send a plain reply.")
}

// settle changes the debt as the reply says.
func settleDebt(t *tx, o *original, p *Post, owed, late bool, out *Appended) error {
	if !owed {
		return nil
	}

	status := p.Answers.Status
	if status == "" {
		status = parley.ResponseCompleted
	}

	out.Updated = true
	if _, err := t.exec(`UPDATE debts SET state = ?, answered_by = ?, answered_at = ?, late = ? WHERE message_seq = ? AND debtor_id = ?`,
		string(status), p.Message.ID, nanos(t.now), late, o.Message.Seq, p.Message.SenderID); err != nil {
		return err
	}

	return delegateDebt(t, o, p.Answers.Delegates, out)
}

// pass makes others owe the answer, and the message theirs if it was not. Who has
// completed it owes nothing again.
func delegateDebt(t *tx, o *original, to []NewDelivery, out *Appended) error {
	var strangers []NewDelivery
	for _, d := range to {
		if _, err := t.exec(`INSERT INTO debts (message_seq, debtor_id, due_at, state) VALUES (?, ?, ?, 'open')
			ON CONFLICT DO UPDATE SET state = 'open', answered_by = '', answered_at = 0, reminded_at = 0, sender_told_at = 0, operator_told_at = 0
			WHERE state NOT IN ('open', 'partial', 'completed')`, o.Message.Seq, d.RecipientID, o.Due); err != nil {
			return err
		}

		var has int
		if err := t.query(&has, `SELECT count(*) FROM deliveries WHERE message_seq = ? AND recipient_id = ?`, o.Message.Seq, d.RecipientID); err != nil {
			return err
		}

		if has == 0 {
			strangers = append(strangers, d)
			t.isGiven(d.RecipientID)
		}
	}

	if len(strangers) == 0 {
		return nil
	}

	m := o.Message.message()
	p, passed := Post{Message: m, Deliveries: strangers}, Appended{Message: m, Seq: o.Message.Seq}
	t.deliveries = append(t.deliveries, newDeliveries(t, &p, &m, o.Message.Seq, &passed)...)
	logDeliveries(t, &p, &m)
	out.Passed = passed.Jobs()

	return nil
}

// markAnswered takes a delivery to its last rung; one that is being typed when that
// has ended.
func markAnswered(t *tx, d *deliveryRow, by string) error {
	k, now := Key{d.MessageSeq, d.RecipientID}, nanos(t.now)
	if _, err := t.exec(`UPDATE deliveries SET read_at = coalesce(read_at, ?), answered_at = ?, answered_by = ?
		WHERE message_seq = ? AND recipient_id = ?`, now, now, by, k.MessageSeq, k.RecipientID); err != nil {
		return err
	}

	t.hasRead(k.RecipientID)
	if parley.DeliveryState(d.State) == parley.DeliveryTyping {
		return nil
	}

	var steps []Change
	if !parley.DeliveryState(d.State).Read() {
		steps = append(steps, Change{
			State:    parley.DeliveryRead,
			Evidence: parley.ProofReply.Words(""),
			Code:     parley.ProofReply,
		})
	}

	return writeSteps(t, k, append(steps, answered(by)), now)
}
