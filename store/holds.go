package store

import (
	"context"
	"time"

	"parley"
)

// Holds keeps the deliveries that the conversation protocol withholds.
type Holds struct{ *database }

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
func (s *Holds) Withheld(ctx context.Context, limit int) ([]Withheld, error) {
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
func (s *Holds) Unwithhold(ctx context.Context, list []Passing, evidence string) ([]Key, error) {
	var passed []Key
	err := s.write(ctx, "letting a delivery pass", func(t *tx) error {
		passed = nil
		for _, p := range list {
			k := p.Key
			n, err := t.exec(`UPDATE deliveries SET withheld = '', withheld_until = 0
				WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`, k.MessageSeq, k.RecipientID)
			if err == nil && n > 0 {
				passed = append(passed, k)
				err = writeSteps(t, k, []Change{{State: p.State, Evidence: evidence, Code: parley.ProofReleased}}, 0)
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
func (s *Holds) Rewithhold(ctx context.Context, list []Withheld) error {
	return s.write(ctx, "holding a delivery", func(t *tx) error {
		for _, w := range list {
			n, err := t.exec(`UPDATE deliveries SET withheld = ?, withheld_until = ?
				WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`,
				w.Why, nanos(w.Until), w.Key.MessageSeq, w.Key.RecipientID)
			if err == nil && n > 0 {
				err = writeSteps(t, w.Key, []Change{{State: parley.DeliveryHeld, Reason: w.Reason, Code: parley.HoldConversation}}, 0)
			}
			if err != nil {
				return err
			}
		}

		return nil
	})
}
