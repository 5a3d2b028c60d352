package store

import (
	"context"
	"time"

	"parley"
	"parley/store/engine"
)

// Debts keeps required responses: which agent owes one for which message.
type Debts struct{ db *database }

// debtRow is a row of debts.
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

// owings returns at most limit open debts that meet a condition, the earliest due first.
func (s *Debts) owings(ctx context.Context, limit int, which string, args ...any) ([]Owing, error) {
	var rows []struct {
		Debt    debtRow `gorm:"embedded"`
		Debtor  string
		Message messageRow `gorm:"embedded"`
	}

	err := s.db.read(ctx, "reading required responses", &rows, `SELECT `+debtColumns+`, `+messageColumns+` FROM debts b
		JOIN messages m ON m.seq = b.message_seq JOIN agents s ON s.id = m.sender_id JOIN agents a ON a.id = b.debtor_id
		WHERE `+isOwed+` AND `+which+` ORDER BY b.due_at LIMIT ?`, append(args, limit)...)

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

// NoteTold records that someone was told of a debt.
func (s *Debts) NoteTold(ctx context.Context, k Key, who Told) error {
	return s.db.write(ctx, "noting a reminder", func(t *tx) error {
		_, err := t.Exec(`UPDATE debts SET `+string(who)+` = ? WHERE message_seq = ? AND debtor_id = ?`,
			nanos(t.Now), k.MessageSeq, k.RecipientID)
		return err
	})
}

// maxNeeds is how many deliveries are listed for the operator at most. Nobody reads more.
const maxNeeds = 200
