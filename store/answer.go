package store

import (
	"time"

	"parley"
)

// original is the answered message, its delivery to the answering agent, and that agent's debt.
type original struct {
	Message  messageRow  `gorm:"embedded"`
	Delivery deliveryRow `gorm:"embedded"`
	Debt     string      // the state of the debt; "" for none
	Due      int64
}

// answer records that a message answers another, on the other's delivery and on
// the debt if there is one. RESPONSE_NOT_REQUIRED or DEADLINE_PASSED when a formal
// response is not owed.
func (p posting) answer() error {
	by, a := p.Message.SenderID, p.Answers
	var found []original
	err := p.tx.Query(&found, `SELECT `+messageColumns+`, `+deliveryColumns+`,
			coalesce(b.state, '') AS debt, coalesce(b.due_at, 0) AS due
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		LEFT JOIN debts b ON b.message_seq = d.message_seq AND b.debtor_id = d.recipient_id
		WHERE m.id = ?`, by, a.MessageID)
	if err == nil && len(found) == 0 && a.Status != "" { // a post from before the sender joined the thread
		err = notOwed(a.MessageID)
	}
	if err != nil || len(found) == 0 {
		return err
	}

	o := &found[0]
	owed := parley.ResponseStatus(o.Debt).Owed()
	late := owed && nanos(p.tx.Now) > o.Due
	if a.Status != "" {
		if err := o.refuse(owed, late); err != nil {
			return err
		}
	}

	if err := p.settleDebt(o, owed, late); err != nil {
		return err
	}
	if o.Delivery.AnsweredBy != "" {
		return nil
	}

	p.out.Updated = true

	return deliveriesIn{p.tx}.markAnswered(&o.Delivery, p.Message.ID)
}

// refuse returns why a formal response is not accepted, nil if it is.
func (o *original) refuse(owed, late bool) error {
	short := parley.Short(o.Message.ID)
	switch {
	case o.Debt == "":
		return notOwed(short)
	case !owed:
		return parley.Errorf(parley.ResponseNotRequired,
			"message %s has your response already: it is %s", short, o.Debt).
			With("state", o.Debt).
			Suggest("Leave status out to add something as a plain reply.")
	case late:
		due := instant(o.Due)
		return parley.Errorf(parley.DeadlinePassed, "the response to message %s was due at %s",
			short, due.Format(time.RFC3339)).
			With("response_deadline", due).
			Suggest("Leave status out: a plain reply is still delivered, and marked as late.")
	}

	return nil
}

func notOwed(id string) error {
	return parley.Errorf(parley.ResponseNotRequired, "message %s requires no response from you", parley.Short(id)).
		Suggest("Leave status out to send a plain reply.")
}

// settleDebt changes the debt as the reply says.
func (p posting) settleDebt(o *original, owed, late bool) error {
	if !owed {
		return nil
	}

	status := p.Answers.Status
	if status == "" {
		status = parley.ResponseCompleted
	}

	p.out.Updated = true
	if _, err := p.tx.Exec(`UPDATE debts SET state = ?, answered_by = ?, answered_at = ?, late = ?
		WHERE message_seq = ? AND debtor_id = ?`,
		string(status), p.Message.ID, nanos(p.tx.Now), late, o.Message.Seq, p.Message.SenderID); err != nil {
		return err
	}

	if status == parley.ResponseCompleted || status == parley.ResponseUnable {
		var err error
		p.out.Settled, err = settle(p.tx, o.Message.SenderID, p.Message.SenderID, p.Message.ChainID, p.Message.Hop)
		if err != nil {
			return err
		}
	}

	return p.delegateDebt(o, p.Answers.Delegates)
}

// delegateDebt makes others owe the answer, and delivers the message to those who did not
// get it. It leaves out those who have completed their response. A debt that comes back is told of again.
func (p posting) delegateDebt(o *original, to []NewDelivery) error {
	var added []NewDelivery
	for _, d := range to {
		if _, err := p.tx.Exec(`INSERT INTO debts (message_seq, debtor_id, due_at, state) VALUES (?, ?, ?, 'open')
			ON CONFLICT (message_seq, debtor_id) DO UPDATE SET state = 'open', answered_by = '',
				reminded_at = 0, sender_told_at = 0, operator_told_at = 0
			WHERE debts.state NOT IN ('open', 'partial', 'completed')`, o.Message.Seq, d.RecipientID, o.Due); err != nil {
			return err
		}

		var has int
		if err := p.tx.Query(&has, `SELECT count(*) FROM deliveries WHERE message_seq = ? AND recipient_id = ?`,
			o.Message.Seq, d.RecipientID); err != nil {
			return err
		}

		if has == 0 {
			added = append(added, d)
			gotOlder(p.tx, d.RecipientID)
		}
	}

	if len(added) == 0 {
		return nil
	}

	m := o.Message.message()
	passed := Appended{Message: m, Seq: o.Message.Seq}
	again := posting{p.tx, &Post{Message: m, Deliveries: added}, &passed}
	deliveriesTable.Add(p.tx, again.deliveries(&m, o.Message.Seq)...)
	again.log(&m)
	p.out.Passed = passed.Jobs()

	return nil
}

// markAnswered takes a delivery to its last rung, or, while it is being typed, lets it
// get there when that has ended.
func (t deliveriesIn) markAnswered(d *deliveryRow, by string) error {
	k, now := Key{d.MessageSeq, d.RecipientID}, nanos(t.tx.Now)
	if _, err := t.tx.Exec(`UPDATE deliveries SET read_at = coalesce(read_at, ?), answered_at = ?, answered_by = ?
		WHERE message_seq = ? AND recipient_id = ?`, now, now, by, k.MessageSeq, k.RecipientID); err != nil {
		return err
	}

	hasRead(t.tx, k.RecipientID)
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

	return t.write(k, append(steps, answered(by)), now)
}
