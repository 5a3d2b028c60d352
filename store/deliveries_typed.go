package store

import (
	"context"

	"parley"
)

// TypedJob is a delivery whose text was typed into a terminal, while nothing proves what came of it.
type TypedJob struct {
	Job
	Dismissed bool // the operator wants no more to do with it
}

// TypedAs returns the delivery that was typed to a recipient under a sequence number of its
// pane, if it is unconfirmed or, after a retry, waits again. One that the program refused does not
// count: the program shows it without a model having it. A pane that is launched again counts from 1
// again: the delivery that was accepted last counts.
func (s *Deliveries) TypedAs(ctx context.Context, recipientID string, paneSeq uint64) (*TypedJob, error) {
	// The empty text keeps SQLite from reading the whole inbox.
	const typed = `SELECT d.message_seq AS seq FROM deliveries d WHERE d.pane_seq = ? AND `
	const unproven = typed + isRetriable + ` AND d.state = 'unconfirmed' AND d.recipient_id || '' = ?
		AND d.reason_code <> '` + string(parley.EndedRefused) + `'`
	const retried = typed + isOpen + ` AND d.recipient_id = ? AND d.state <> 'typing' AND d.typed_before = 1`
	var rows []itemRow
	err := s.read(ctx, "reading what was typed last", &rows, `
		WITH t AS MATERIALIZED (SELECT * FROM (`+unproven+` UNION ALL `+retried+`) u ORDER BY +u.seq DESC LIMIT 1)
		SELECT `+itemColumns+` FROM t CROSS JOIN deliveries d
		JOIN messages m ON d.message_seq = t.seq AND m.seq = d.message_seq`+itemAgents+` WHERE d.recipient_id = ?`,
		int64(paneSeq), recipientID, int64(paneSeq), recipientID, recipientID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &TypedJob{Job: rows[0].job(), Dismissed: rows[0].Delivery.Dismissed}, nil
}
