package store

import (
	"context"
	"time"

	"parley"
)

// Holds keeps the deliveries that the conversation protocol withholds.
type Holds struct{ db *database }

// Withheld is a delivery that the conversation protocol withholds.
type Withheld struct {
	Job
	Why   string    // the rule that withholds it
	Until time.Time // when the protocol decides again; zero for no time
}

// Withheld returns at most limit of the withheld deliveries, in the order of acceptance.
func (s *Holds) Withheld(ctx context.Context, limit int) ([]Withheld, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading withheld deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE `+isWithheld+` ORDER BY d.message_seq LIMIT ?`, limit)
	list := make([]Withheld, len(rows))
	for i := range rows {
		d := &rows[i].Delivery
		list[i] = Withheld{rows[i].job(), d.Withheld, instant(d.WithheldUntil)}
	}
	return list, err
}

// Passing is a delivery to be released, and the rung on which it goes on.
type Passing struct {
	Key
	State parley.DeliveryState
}

// Unwithhold releases withheld deliveries, and returns the keys of those that it released:
// not of those that were read or given up meanwhile.
func (s *Holds) Unwithhold(ctx context.Context, list []Passing, evidence string) ([]Key, error) {
	var passed []Key
	err := s.db.write(ctx, "releasing a delivery", func(t *tx) error {
		passed = nil
		for _, p := range list {
			changed, err := deliveriesIn{t}.withhold(p.Key, "", time.Time{})
			if err != nil {
				return err
			}
			if !changed {
				continue
			}

			passed = append(passed, p.Key)
			released := Change{State: p.State, Evidence: evidence, Code: parley.ProofReleased}
			if err := (deliveriesIn{t}).write(p.Key, []Change{released}, 0); err != nil {
				return err
			}
		}

		return nil
	})

	return passed, err
}

// Rewithhold replaces the rule that withholds deliveries. It skips those that are no
// longer withheld.
func (s *Holds) Rewithhold(ctx context.Context, list []Withheld) error {
	return s.db.write(ctx, "holding a delivery", func(t *tx) error {
		for _, w := range list {
			changed, err := deliveriesIn{t}.withhold(w.Key, w.Why, w.Until)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}

			held := Change{State: parley.DeliveryHeld, Reason: w.Reason, Code: parley.HoldConversation}
			if err := (deliveriesIn{t}).write(w.Key, []Change{held}, 0); err != nil {
				return err
			}
		}

		return nil
	})
}

// withhold changes the rule of a delivery, and reports whether it was withheld.
func (t deliveriesIn) withhold(k Key, why string, until time.Time) (changed bool, err error) {
	n, err := t.tx.Exec(`UPDATE deliveries SET withheld = ?, withheld_until = ?
		WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`,
		why, nanos(until), k.MessageSeq, k.RecipientID)
	return n > 0, err
}
