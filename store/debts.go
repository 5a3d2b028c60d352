package store

import (
	"context"
	"time"

	"parley"
)

// Debts keeps required responses: who owes one for which message.
type Debts struct{ *database }

// isOwed is true of a debt b of which an answer is still to come. It stands in
// queries as it stands in the indexes, which is what makes SQLite use them.
const isOwed = `b.state IN ('open', 'partial')`

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

var newDebtColumns = columns[debtRow]{
	{"message_seq", func(r *debtRow) any { return r.MessageSeq }},
	{"debtor_id", func(r *debtRow) any { return r.DebtorID }},
	{"due_at", func(r *debtRow) any { return r.DueAt }},
	{"state", func(*debtRow) any { return string(parley.ResponseOpen) }},
}

func (t *tx) flushDebts() error {
	return insert(t, "debts", newDebtColumns, t.debts...)
}

// owe notes who has to answer a message: all that it can reach and that answer at all.
func addDebts(t *tx, m *parley.Message, seq int64, to []NewDelivery) {
	for i := range to {
		if !to[i].State.Failed() && !to[i].Silent {
			t.debts = append(
				t.debts,
				debtRow{MessageSeq: seq, DebtorID: to[i].RecipientID, DueAt: (&newMessageRow{Message: m}).due()},
			)
		}
	}
}

// debtColumns are those of a debtRow and its debtor's name, of debts b and agents a.
const debtColumns = `b.message_seq, b.debtor_id, b.due_at, b.state, b.answered_by, b.answered_at, b.late, b.reminded_at,
	b.sender_told_at, b.operator_told_at, a.name AS debtor`

// Owing is a debt and the message that it is about.
type Owing struct {
	Debt    parley.Debt
	Message parley.Message // without recipients
	Key     Key
}

func (r *debtRow) debt(messageID, debtor string) parley.Debt {
	return parley.Debt{
		MessageID:  messageID,
		DebtorID:   r.DebtorID,
		Debtor:     debtor,
		State:      parley.ResponseStatus(r.State),
		DueAt:      instant(r.DueAt),
		AnsweredBy: r.AnsweredBy,
		AnsweredAt: moment(r.AnsweredAt),
		Late:       r.Late,
		RemindedAt: moment(
			r.RemindedAt,
		),
		SenderToldAt:   moment(r.SenderToldAt),
		OperatorToldAt: moment(r.OperatorToldAt),
	}
}

// List returns who owes or has given a required response to a message, by name.
func (s *Debts) List(ctx context.Context, messageID string) ([]parley.Debt, error) {
	var rows []struct {
		Debt   debtRow `gorm:"embedded"`
		Debtor string
	}
	err := s.read(ctx, "reading required responses", &rows, `SELECT `+debtColumns+` FROM messages m
		JOIN debts b ON b.message_seq = m.seq JOIN agents a ON a.id = b.debtor_id
		WHERE m.id = ? ORDER BY lower(a.name)`, messageID)
	var debts []parley.Debt
	for i := range rows {
		debts = append(debts, rows[i].Debt.debt(messageID, rows[i].Debtor))
	}
	return debts, err
}

// maxDue bounds how many debts are looked at together: some broadcasts' worth.
const maxDue = 2000

// Due returns the debts that are due before a time and that the operator was not
// told of, the oldest first.
func (s *Debts) Due(ctx context.Context, before time.Time) ([]Owing, error) {
	return s.owings(ctx, maxDue, `b.operator_told_at = 0 AND b.due_at < ?`, nanos(before))
}

// Overdue returns the debts that the operator was told of and did not dismiss.
func (s *Debts) Overdue(ctx context.Context) ([]Owing, error) {
	return s.owings(ctx, maxNeeds, `b.operator_told_at > 0 AND EXISTS (SELECT 1 FROM deliveries d
		WHERE d.message_seq = b.message_seq AND d.recipient_id = b.debtor_id AND d.dismissed = 0)`)
}

func (s *Debts) owings(ctx context.Context, limit int, which string, args ...any) ([]Owing, error) {
	var rows []struct {
		Debt    debtRow `gorm:"embedded"`
		Debtor  string
		Message messageRow `gorm:"embedded"`
	}

	const doing = "reading what is owed"
	err := s.read(ctx, doing, &rows, `SELECT `+debtColumns+`, `+messageColumns+` FROM debts b
		JOIN messages m ON m.seq = b.message_seq JOIN agents s ON s.id = m.sender_id JOIN agents a ON a.id = b.debtor_id
		WHERE `+isOwed+` AND `+which+` ORDER BY b.due_at LIMIT ?`, append(args, limit)...)

	var found []Owing
	for i := range rows {
		m := rows[i].Message.message()
		found = append(found, Owing{Debt: rows[i].Debt.debt(m.ID, rows[i].Debtor), Message: m,
			Key: Key{rows[i].Debt.MessageSeq, rows[i].Debt.DebtorID}})
	}

	return found, err
}

// Told is who has heard of a debt.
type Told string

// Those who hear of it, in this order.
const (
	ToldDebtor   Told = "reminded_at"
	ToldSender   Told = "sender_told_at"
	ToldOperator Told = "operator_told_at"
)

// NoteTold records that someone has heard of a debt.
func (s *Debts) NoteTold(ctx context.Context, k Key, who Told) error {
	return s.write(ctx, "noting a reminder", func(t *tx) error {
		_, err := t.exec(
			`UPDATE debts SET `+string(who)+` = ? WHERE message_seq = ? AND debtor_id = ?`,
			nanos(t.now),
			k.MessageSeq,
			k.RecipientID,
		)
		return err
	})
}
