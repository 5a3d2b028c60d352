package store

import (
	"cmp"
	"context"

	"parley"
)

// retriable is true of a delivery that ended without being proven.
const retriable = `d.state IN ('failed', 'unconfirmed', 'expired')`

// Retry begins deliveries of a message again, each where begin says: those that
// ended without being proven, all or nothing. What they went through stays in
// their steps, and their time to wait begins anew. It returns what began again;
// the others of begin are left as they are.
func (s *Deliveries) Retry(ctx context.Context, messageID string, begin []NewDelivery) ([]Job, error) {
	var jobs []Job
	err := s.write(ctx, "queueing the delivery again", func(t *tx) error {
		jobs = nil
		for _, b := range begin {
			again, err := retryDelivery(t, messageID, b)
			if err != nil {
				return err
			}
			jobs = append(jobs, again...)
		}

		return nil
	})

	return jobs, err
}

// retry returns one job, or none when the delivery is not to be tried again.
func retryDelivery(t *tx, messageID string, b NewDelivery) ([]Job, error) {
	var rows []itemRow
	err := t.query(&rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id
		WHERE m.id = ? AND d.recipient_id = ? AND `+retriable, messageID, b.RecipientID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	job := rows[0].job()
	change := b.change()
	change.Code = cmp.Or(change.Code, parley.ProofRetried)
	if err := writeSteps(t, job.Key, []Change{change}, 0); err != nil {
		return nil, err
	}

	if _, err := t.exec(`UPDATE deliveries SET queued_at = ?, dismissed = 0, withheld = '', typed_before = max(typed_before, ?)
		WHERE message_seq = ? AND recipient_id = ?`,
		nanos(t.now), job.State == parley.DeliveryUnconfirmed, job.Key.MessageSeq, job.Key.RecipientID); err != nil {
		return nil, err
	}

	job.State, job.Reason, job.Code, job.QueuedAt = b.State, b.Reason, parley.ReasonCode(change.reasonCode()), t.now

	return []Job{job}, nil
}
