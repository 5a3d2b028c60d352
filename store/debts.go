package store

import (
	"context"
	"time"

	"parley"
	"parley/store/engine"
)

// Debts keeps required responses: which agent owes one for which message.
type Debts struct{ db *database }

type debtRow struct {
	MessageSeq     int64
	DebtorID       string
	DueAt          int64
	State          string
	AnsweredBy     string
	AnsweredAt     int64
	Late           bool
	RemindedAt     int64
	SenderToldAt   int64
	OperatorToldAt int64
}

var debtsTable = engine.Table[debtRow]{
	Name:  "debts",
	Key:   []string{"message_seq", "debtor_id"},
	Grows: true,
	Columns: engine.Columns[debtRow]{
		{"message_seq", func(r *debtRow) any { return r.MessageSeq }},
		{"debtor_id", func(r *debtRow) any { return r.DebtorID }},
		{"due_at", func(r *debtRow) any { return r.DueAt }},
		{"state", func(*debtRow) any { return string(parley.ResponseOpen) }},
	},
}

// addDebts adds a debt for each recipient that the message can reach and that answers at
// all.
func addDebts(t *tx, m *parley.Message, seq int64, to []NewDelivery) {
	for i := range to {
		if !to[i].State.Failed() && !to[i].Silent {
			debtsTable.Add(t, debtRow{MessageSeq: seq, DebtorID: to[i].RecipientID, DueAt: deadline(m)})
		}
	}
}

// debtColumns select a debtRow and its debtor's name from debts b and agents a.
const debtColumns = `b.message_seq, b.debtor_id, b.due_at, b.state, b.answered_by, b.answered_at, b.late, b.reminded_at,
	b.sender_told_at, b.operator_told_at, a.name AS debtor`

// Owing is a debt with its message.
type Owing struct {
	Debt    parley.Debt
	Message parley.Message // without recipients
	Key     Key

	// Answered is when the debtor last answered, in part or for others to go on; zero for never. It
	// distinguishes the times that one agent owes the same response.
	Answered time.Time
}

func (r *debtRow) debt(messageID, debtor string) parley.Debt {
	d := parley.Debt{
		MessageID:      messageID,
		DebtorID:       r.DebtorID,
		Debtor:         debtor,
		State:          parley.ResponseStatus(r.State),
		DueAt:          instant(r.DueAt),
		AnsweredBy:     r.AnsweredBy,
		AnsweredAt:     instantOrNil(r.AnsweredAt),
		Late:           r.Late,
		RemindedAt:     instantOrNil(r.RemindedAt),
		SenderToldAt:   instantOrNil(r.SenderToldAt),
		OperatorToldAt: instantOrNil(r.OperatorToldAt),
	}
	if d.State == parley.ResponseOpen {
		d.AnsweredAt = nil // it was delegated, and has come back
	}
	return d
}

// List returns the debts for a message by the debtors' names, those that are answered
// too.
func (s *Debts) List(ctx context.Context, messageID string) ([]parley.Debt, error) {
	var rows []struct {
		Debt   debtRow `gorm:"embedded"`
		Debtor string
	}

	err := s.db.read(ctx, "reading required responses", &rows, `SELECT `+debtColumns+` FROM messages m
		JOIN debts b ON b.message_seq = m.seq JOIN agents a ON a.id = b.debtor_id
		WHERE m.id = ? ORDER BY lower(a.name)`, messageID)

	var debts []parley.Debt
	for i := range rows {
		debts = append(debts, rows[i].Debt.debt(messageID, rows[i].Debtor))
	}

	return debts, err
}

// maxDue is how many due debts are returned at most, as many as some broadcasts make.
const maxDue = 2000

// Due returns the debts that are due before a time and of which the operator was not
// told, the oldest first.
func (s *Debts) Due(ctx context.Context, before time.Time) ([]Owing, error) {
	return s.owings(ctx, maxDue, `b.operator_told_at = 0 AND b.due_at < ?`, nanos(before))
}

// NextDue returns when the next of these debts is due, the zero time if there is none.
func (s *Debts) NextDue(ctx context.Context) (time.Time, error) {
	var next int64
	err := s.db.read(ctx, "reading when a response is due", &next, `SELECT coalesce(min(b.due_at), 0) FROM debts b
		WHERE `+isOwed+` AND b.operator_told_at = 0`)
	return instant(next), err
}

// Overdue returns the debts of which the operator was told, except dismissed ones.
func (s *Debts) Overdue(ctx context.Context) ([]Owing, error) {
	return s.owings(ctx, maxNeeds, `b.operator_told_at > 0 AND EXISTS (SELECT 1 FROM deliveries d
		WHERE d.message_seq = b.message_seq AND d.recipient_id = b.debtor_id AND d.dismissed = 0)`)
}

// OwedBy returns the debts of an agent, the earliest due first.
func (s *Debts) OwedBy(ctx context.Context, agentID string) ([]Owing, error) {
	return s.owings(ctx, maxNeeds, `b.debtor_id = ?`, agentID)
}

// owings returns at most limit open debts that meet a condition, the earliest due first, and then by the debtor's name.
func (s *Debts) owings(ctx context.Context, limit int, which string, args ...any) ([]Owing, error) {
	var rows []struct {
		Debt    debtRow `gorm:"embedded"`
		Debtor  string
		Message messageRow `gorm:"embedded"`
	}

	err := s.db.read(ctx, "reading required responses", &rows, `SELECT `+debtColumns+`, `+messageColumns+` FROM debts b
		JOIN messages m ON m.seq = b.message_seq JOIN agents s ON s.id = m.sender_id JOIN agents a ON a.id = b.debtor_id
		WHERE `+isOwed+` AND `+which+` ORDER BY b.due_at, a.name LIMIT ?`, append(args, limit)...)

	var found []Owing
	for i := range rows {
		m := rows[i].Message.message()
		found = append(found, Owing{
			Debt:     rows[i].Debt.debt(m.ID, rows[i].Debtor),
			Message:  m,
			Key:      Key{rows[i].Debt.MessageSeq, rows[i].Debt.DebtorID},
			Answered: instant(rows[i].Debt.AnsweredAt),
		})
	}

	return found, err
}

// Told says who was told of a debt.
type Told string

// A debtor is told first, then the sender, then the operator.
const (
	ToldDebtor   Told = "reminded_at"
	ToldSender   Told = "sender_told_at"
	ToldOperator Told = "operator_told_at"
)

// NoteTold records that someone was told of debts.
func (s *Debts) NoteTold(ctx context.Context, who Told, debts []Key) error {
	return s.db.write(ctx, "noting a reminder", func(t *tx) error {
		for _, k := range debts {
			if _, err := t.Exec(`UPDATE debts SET `+string(who)+` = ? WHERE message_seq = ? AND debtor_id = ?`,
				nanos(t.Now), k.MessageSeq, k.RecipientID); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxNeeds is how many deliveries are listed for the operator at most. Nobody reads more.
const maxNeeds = 200

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
			State: parley.DeliveryRead,
			Cause: parley.ProofReply.With(""),
		})
	}

	return t.write(k, append(steps, answered(by)), now)
}
