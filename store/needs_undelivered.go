package store

import (
	"context"

	"parley"
)

// maxUndelivered is how many dead deliveries are returned at most, as many as some broadcasts have.
const maxUndelivered = 2000

// isUndelivered selects the deliveries that ended without arriving after their message was accepted, and of
// which nobody has been told. A recipient that was gone before is told of in the receipt.
const isUndelivered = isRetriable + ` AND (d.state = 'failed' OR d.state = 'expired') AND d.dismissed = 0
	AND d.reason_code <> '` + string(parley.EndedTerminated) + `'`

// Undelivered is a delivery that ended without arriving.
type Undelivered struct {
	InboxItem
	Key Key
}

// Undelivered returns the deliveries that ended without arriving and of which nobody has been told, in the
// order of their messages.
func (s *Needs) Undelivered(ctx context.Context) ([]Undelivered, error) {
	var rows []itemRow
	err := s.read(ctx, "reading what did not arrive", &rows, `SELECT `+itemColumns+`
		FROM deliveries d`+messageThen+`
		WHERE `+isUndelivered+` ORDER BY d.message_seq, r.name LIMIT ?`, maxUndelivered)

	dead := make([]Undelivered, len(rows))
	for i := range rows {
		item := InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
		dead[i] = Undelivered{item, Key{rows[i].Delivery.MessageSeq, rows[i].Delivery.RecipientID}}
	}
	return dead, err
}

// NoteUndelivered records that somebody has been told of deliveries: Undelivered no longer returns them.
func (s *Needs) NoteUndelivered(ctx context.Context, keys []Key) error {
	return s.write(ctx, "noting who was told", func(t *tx) error {
		for _, k := range keys {
			_, err := t.Exec(`UPDATE deliveries SET dismissed = 1 WHERE message_seq = ? AND recipient_id = ?
				AND (state = 'failed' OR state = 'expired')`, k.MessageSeq, k.RecipientID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
