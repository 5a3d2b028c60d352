package store

import (
	"context"
	"time"

	"parley"
)

// Witness is a recipient's own report that it was given messages.
type Witness struct {
	RecipientID string
	Refs        []string  // ids, or the first eight or more characters of them
	Evidence    string    // how that is known
	TurnStarted time.Time // when its work upon them began; zero when the report does not say
}

// Attest records such a report and returns the whole ids of the messages that were
// typed to the recipient; others are left alone. A delivery that was begun or given
// up as unconfirmed moves on: to read, or of a notice to submitted. One that is there
// already keeps the report as a further step, once.
//
// Whoever types to that terminal must not be at it.
func (s *Deliveries) Attest(ctx context.Context, w Witness) (typed []string, err error) {
	err = s.write(ctx, "recording what the agent reports", func(t *tx) error {
		typed = nil
		for _, ref := range w.Refs {
			d, err := findTyped(t, w.RecipientID, ref)
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}

			typed = append(typed, d.MessageID)
			if err := attestDelivery(t, d, &w); err != nil {
				return err
			}
		}

		return nil
	})

	return typed, err
}

// wasTyped is true of a delivery whose text came to a terminal, or may have: also of
// one that was given up as unconfirmed and is to be typed again.
const wasTyped = `d.pane_seq > 0 AND (d.state IN ('typing', 'unconfirmed', 'submitted', 'read', 'answered')
	OR d.state IN ('queued', 'held') AND d.typed_before = 1)`

// typedTo returns the delivery of the message that ref names if it was typed to the
// recipient; nil if not.
func findTyped(t *tx, recipientID, ref string) (*deliveryRow, error) {
	if len(ref) < parley.ShortID {
		return nil, nil
	}

	from, to := idRange(ref)
	var rows []deliveryRow
	err := t.query(
		&rows,
		`SELECT m.id AS message_id, d.message_seq, d.recipient_id, d.state, d.reason, d.notice, d.read_at, d.steps, d.answered_by
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?
		WHERE m.id >= ? AND m.id < ? AND `+wasTyped+`
		ORDER BY m.id LIMIT 2`,
		recipientID,
		from,
		to,
	)
	if err != nil || len(rows) != 1 {
		return nil, err
	}

	return &rows[0], nil
}

func attestDelivery(t *tx, d *deliveryRow, w *Witness) error {
	was := parley.DeliveryState(d.State)
	if was.Read() || was == parley.DeliverySubmitted && d.Notice {
		return addReportStep(t, d, w)
	}

	var changes []Change
	if was != parley.DeliverySubmitted {
		changes = append(changes, Change{State: parley.DeliverySubmitted, Evidence: w.Evidence, Code: parley.ProofReport})
	}
	if !d.Notice {
		changes = append(changes, Change{State: parley.DeliveryRead, Evidence: w.Evidence, Code: parley.ProofReport})
	}

	changes[0].TurnStarted = w.TurnStarted
	steps, err := (&deliveryState{State: d.State, Reason: d.Reason, ReadAt: d.ReadAt, AnsweredBy: d.AnsweredBy}).climb(
		changes,
	)
	if err != nil {
		return err
	}

	return writeSteps(t, Key{d.MessageSeq, d.RecipientID}, steps, nanos(t.now))
}

// addStep notes when work upon a delivered message began, at the rung where it is.
func addReportStep(t *tx, d *deliveryRow, w *Witness) error {
	if delivery := d.delivery(); w.TurnStarted.IsZero() || !delivery.TurnStarted().IsZero() {
		return nil
	}
	c := Change{
		State:       parley.DeliveryState(d.State),
		Evidence:    w.Evidence,
		Code:        parley.ProofReport,
		TurnStarted: w.TurnStarted,
	}
	_, err := t.exec(`UPDATE deliveries SET steps = steps || ? WHERE message_seq = ? AND recipient_id = ?`,
		stepLine(c.step(t.now)), d.MessageSeq, d.RecipientID)
	return err
}
