package store

import (
	"context"

	"parley"
)

// Ahead returns the delivery that goes first of those to a recipient's terminal, with its steps, and
// how many go before that of a message. It is nil if none is open.
func (s *Deliveries) Ahead(
	ctx context.Context, recipientID, messageID string,
) (first *parley.Delivery, n int, err error) {
	const goes = isOpen + ` AND NOT (` + isWithheld + `)`
	var rows []itemRow
	err = s.read(ctx, "reading the delivery that goes first", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE d.recipient_id = ? AND `+goes+`
		ORDER BY d.state = 'typing' DESC, d.urgent DESC, d.message_seq LIMIT 1`, recipientID)
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}

	d := rows[0].Delivery.delivery()
	if d.MessageID == messageID {
		return &d, 0, nil
	}

	err = s.read(ctx, "counting the deliveries that go first", &n, `SELECT count(*)
		FROM deliveries d JOIN messages w ON w.id = ?
		JOIN deliveries k ON k.message_seq = w.seq AND k.recipient_id = d.recipient_id
		WHERE d.recipient_id = ? AND `+goes+` AND d.message_seq <> k.message_seq AND (d.state = 'typing'
			OR d.urgent > k.urgent OR d.urgent = k.urgent AND d.message_seq < k.message_seq)`,
		messageID, recipientID)

	return &d, n, err
}
