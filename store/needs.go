package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// Needs lists what waits for the operator.
type Needs struct{ *database }

// maxNeeds bounds how many deliveries are listed for the operator: nobody reads
// more of them.
const maxNeeds = 200

// Unconfirmed returns the deliveries of which it is not known whether they
// arrived, but not those that were dismissed; the newest first, with their steps.
func (s *Needs) Unconfirmed(ctx context.Context) ([]InboxItem, error) {
	var rows []itemRow
	err := s.read(ctx, "reading what is unconfirmed", &rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM deliveries d CROSS JOIN messages m ON m.seq = d.message_seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		WHERE `+retriable+` AND d.state = 'unconfirmed' AND d.dismissed = 0 ORDER BY d.message_seq DESC LIMIT ?`, maxNeeds)
	items := make([]InboxItem, len(rows))
	for i := range rows {
		items[i] = InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
	}
	return items, err
}

// owing is true of a delivery d of a request m that its recipient did not answer
// by a reply. What has a deadline is a debt instead. Later words to the same agent answer too; see Owed.
// What is asked in a thread nobody owes an answer to, unless it says that one is required.
const owing = `m.type = 'request' AND m.requires_response = 0 AND m.thread_id = '' AND d.state IN ('submitted', 'read') AND d.dismissed = 0 AND NOT EXISTS (
	SELECT 1 FROM messages a WHERE a.in_reply_to = m.id AND a.in_reply_to <> '' AND a.sender_id = d.recipient_id)`

// said is when the recipient of d last said something to the sender of m, 0 if it
// did not since the message.
const said = `coalesce((SELECT a.accepted_at FROM deliveries ad JOIN messages a ON a.seq = ad.message_seq
	WHERE ad.conversation_id = d.conversation_id AND (ad.kind = 'direct' OR ad.kind = 'steering') AND ad.message_seq > d.message_seq AND ad.recipient_id = m.sender_id
	ORDER BY ad.message_seq DESC LIMIT 1), 0)`

// had is since when the recipient r of d has had the message: in a terminal since
// it was proven to be there whole, in a mailbox since it was stored.
const had = `CASE r.kind WHEN 'terminal' THEN coalesce(d.read_at, d.queued_at) ELSE d.queued_at END`

// Owed returns the deliveries of requests that were accepted between two times,
// arrived before the later one, and were not answered: the recipient neither
// replied to them nor said anything to their sender since they arrived. The oldest
// come first.
func (s *Needs) Owed(ctx context.Context, from, before time.Time) ([]InboxItem, error) {
	var rows []itemRow
	err := s.read(ctx, "reading unanswered requests", &rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM messages m CROSS JOIN deliveries d ON d.message_seq = m.seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		WHERE m.accepted_at > ? AND m.accepted_at < ? AND `+owing+` AND `+had+` < ? AND `+said+` <= `+had+`
		ORDER BY m.accepted_at LIMIT ?`, nanos(from), nanos(before), nanos(before), maxNeeds)

	var items []InboxItem
	for i := range rows {
		item := InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
		if Arrived(item.Delivery).Before(before) {
			items = append(items, item)
		}
	}

	return items, err
}

// Arrived is when a delivery was first proven, the zero time if it was not.
func Arrived(d parley.Delivery) time.Time {
	i := slices.IndexFunc(d.Steps, func(st parley.Step) bool { return st.State.Delivered() })
	if i < 0 {
		return time.Time{}
	}
	return d.Steps[i].At
}

// Dismiss takes a message's deliveries out of what Unconfirmed, NotAnswered, Owed and Overdue return,
// and reports how many there were. ref is as for Message. A delivery that is tried
// again is not dismissed any more.
func (s *Needs) Dismiss(ctx context.Context, ref string) (int, error) {
	seq, err := s.seqOf(ctx, "finding the message", ref, ` FROM messages m WHERE true`)
	if err != nil {
		return 0, err
	}

	var n int64
	err = s.write(ctx, "dismissing a delivery", func(t *tx) error {
		n, err = t.exec(`UPDATE deliveries SET dismissed = 1
			WHERE message_seq = ? AND dismissed = 0 AND (state = 'unconfirmed' OR EXISTS (
				SELECT 1 FROM messages m JOIN deliveries d ON d.message_seq = m.seq
				WHERE m.seq = deliveries.message_seq AND d.recipient_id = deliveries.recipient_id AND `+owing+`) OR EXISTS (
				SELECT 1 FROM debts b WHERE b.message_seq = deliveries.message_seq AND b.debtor_id = deliveries.recipient_id
				AND `+isOwed+` AND b.operator_told_at > 0) OR EXISTS (
				SELECT 1 FROM deliveries d JOIN responders p ON p.agent_id = d.recipient_id
				WHERE d.message_seq = deliveries.message_seq AND d.recipient_id = deliveries.recipient_id AND `+notAnswered+`))`, seq)

		return err
	})

	return int(n), err
}
