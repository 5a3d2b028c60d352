package store

import (
	"cmp"
	"context"

	"parley"
)

// isRetriable selects the deliveries that ended without proof. It must be spelled as in the index.
const isRetriable = `(d.state = 'failed' OR d.state = 'unconfirmed' OR d.state = 'expired')`

// isOurs leaves out what agents' programs send each other past parley: nobody can see to that, and parley never types
// it.
const isOurs = `d.reason_code <> '` + string(parley.EndedNative) + `'`

// Retry begins deliveries of a message again, all or nothing: those in begin that ended
// without proof. Their steps are kept, and their waiting time starts from zero. It
// returns the deliveries that began again, and leaves the others as they are.
func (s *Deliveries) Retry(ctx context.Context, messageID string, begin []NewDelivery) ([]Job, error) {
	var jobs []Job
	err := s.write(ctx, "queueing the delivery again", func(t *tx) error {
		jobs = nil
		for _, b := range begin {
			again, err := deliveriesIn{t}.retry(messageID, b)
			if err != nil {
				return err
			}
			jobs = append(jobs, again...)
		}

		return nil
	})

	return jobs, err
}

// retry returns one job, or none when the delivery did not end without proof.
func (t deliveriesIn) retry(messageID string, b NewDelivery) ([]Job, error) {
	var rows []itemRow
	err := t.Query(&rows, `SELECT `+itemColumns+`
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq`+itemAgents+`
		WHERE m.id = ? AND d.recipient_id = ? AND `+isRetriable+` AND `+isOurs, messageID, b.RecipientID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	job := rows[0].job()
	change := b.change()
	change.Code = cmp.Or(change.Code, parley.ProofRetried)
	if err := t.write(job.Key, []Change{change}, 0); err != nil {
		return nil, err
	}

	refused := rows[0].Delivery.ReasonCode == string(parley.EndedRefused)
	unconfirmed := job.State == parley.DeliveryUnconfirmed && !refused
	if _, err := t.Exec(`UPDATE deliveries SET queued_at = ?, dismissed = 0, withheld = '',
			typed_before = CASE WHEN ? = 1 THEN 0 WHEN ? = 1 THEN 1 ELSE typed_before END
		WHERE message_seq = ? AND recipient_id = ?`,
		nanos(t.Now), refused, unconfirmed, job.Key.MessageSeq, job.Key.RecipientID); err != nil {
		return nil, err
	}

	job.State, job.Reason, job.QueuedAt = b.State, b.Reason, t.Now
	job.Code = parley.ReasonCode(change.reasonCode())

	return []Job{job}, nil
}
