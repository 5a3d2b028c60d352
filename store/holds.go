package store

import (
	"context"
	"time"

	"parley"
)

// isWithheld is true of a delivery d that the conversation protocol holds. It stands
// in queries as it stands in the index.
const isWithheld = `d.state = 'held' AND d.withheld <> ''`

// Withheld is a delivery that the conversation protocol holds, and why.
type Withheld struct {
	Job
	Why   string // the reason's code
	Until time.Time
}

// Withheld returns all that the conversation protocol holds, in the order of
// acceptance, limit at most.
func (s *Store) Withheld(ctx context.Context, limit int) ([]Withheld, error) {
	var rows []itemRow
	err := s.read(ctx, "reading what is withheld", &rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		WHERE `+isWithheld+` ORDER BY d.message_seq LIMIT ?`, limit)
	list := make([]Withheld, len(rows))
	for i := range rows {
		d := &rows[i].Delivery
		list[i] = Withheld{rows[i].job(), d.Withheld, instant(d.WithheldUntil)}
	}
	return list, err
}

// Passing is a delivery that is not to be withheld any more, and where it goes on.
type Passing struct {
	Key
	State parley.DeliveryState
}

// Unwithhold lets go on what was withheld, and returns what does: what was read or given
// up meanwhile does not.
func (s *Store) Unwithhold(ctx context.Context, list []Passing, evidence string) ([]Key, error) {
	var passed []Key
	err := s.write(ctx, "letting a delivery pass", func(t *tx) error {
		passed = nil
		for _, p := range list {
			k := p.Key
			n, err := t.exec(`UPDATE deliveries SET withheld = '', withheld_until = 0
				WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`, k.MessageSeq, k.RecipientID)
			if err == nil && n > 0 {
				passed = append(passed, k)
				err = t.climb(k, []Change{{State: p.State, Evidence: evidence}}, 0)
			}

			if err != nil {
				return err
			}
		}

		return nil
	})

	return passed, err
}

// Rewithhold says why something is withheld now. What is not withheld any more stays
// as it is.
func (s *Store) Rewithhold(ctx context.Context, list []Withheld) error {
	return s.write(ctx, "holding a delivery", func(t *tx) error {
		for _, w := range list {
			n, err := t.exec(`UPDATE deliveries SET withheld = ?, withheld_until = ?
				WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`,
				w.Why, nanos(w.Until), w.Key.MessageSeq, w.Key.RecipientID)
			if err == nil && n > 0 {
				err = t.climb(w.Key, []Change{{State: parley.DeliveryHeld, Reason: w.Reason}}, 0)
			}
			if err != nil {
				return err
			}
		}

		return nil
	})
}

// TurnRow is a message that went to an agent, as the conversation protocol counts it.
type TurnRow struct {
	MessageID   string
	ChainID     string
	Hop         int
	SenderID    string
	RecipientID string
	ThreadID    string
	AcceptedAt  int64
	Replied     string // the chain of the message that it answers
}

// At is when the message was accepted.
func (r *TurnRow) At() time.Time { return instant(r.AcceptedAt) }

// Turns returns the latest messages that were not withheld, in the order of
// acceptance, but for parley's own, and for what began no turn: it was read in the
// moment in which it was stored.
func (s *Store) Turns(ctx context.Context, since time.Time, limit int) ([]TurnRow, error) {
	var rows []TurnRow
	err := s.read(ctx, "reading the last turns", &rows, `SELECT * FROM (
		SELECT m.seq, m.id AS message_id, m.chain_id, m.hop, m.sender_id, d.recipient_id, m.thread_id, m.accepted_at, coalesce(a.chain_id, '') AS replied
		FROM messages m CROSS JOIN deliveries d ON d.message_seq = m.seq JOIN agents s ON s.id = m.sender_id
		LEFT JOIN messages a ON a.id = m.in_reply_to AND m.in_reply_to <> ''
		WHERE m.seq > (SELECT coalesce(max(seq), 0) FROM messages) - ? AND m.accepted_at > ? AND m.chain_id <> '' AND d.withheld = '' AND d.state <> 'failed'
			AND (d.read_at IS NULL OR d.read_at > d.queued_at) AND s.kind <> 'system'
		ORDER BY m.seq DESC LIMIT ?) ORDER BY seq`, limit, nanos(since), limit)
	return rows, err
}

// Posts returns a thread's latest posts, oldest first, but for parley's own.
func (s *Store) Posts(ctx context.Context, threadID string, limit int) ([]parley.Message, error) {
	var rows []messageRow
	err := s.read(
		ctx,
		"reading the thread",
		&rows,
		`SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread' ORDER BY m.seq DESC LIMIT ?`,
		threadID,
		limit,
	)

	list := make([]parley.Message, len(rows))
	for i := range rows {
		list[len(rows)-1-i] = rows[i].message()
	}

	return list, err
}
