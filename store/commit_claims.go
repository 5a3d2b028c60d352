package store

import (
	"parley"
)

// claimRow is one Claim of a transaction.
type claimRow struct {
	Key
	paneSeq int64
	notice  bool
	by      *write
}

const claimValues = `message_seq, recipient_id, pane_seq, notice, step`

// flushClaims makes all claims with one statement. Who claims what is not waiting
// any more is told so.
func (t *tx) flushClaims() error {
	line := stepLine(parley.Step{State: parley.DeliveryTyping, At: t.now})
	claimed := map[Key]bool{}
	err := inChunks(claimValues, t.claims, func(c *claimRow) []any {
		return []any{c.MessageSeq, c.RecipientID, c.paneSeq, c.notice, line}
	}, func(values string, args []any) error {
		return t.mark(
			claimed,
			`UPDATE deliveries SET state = 'typing', reason = '', reason_code = '', pane_seq = v.column3, notice = v.column4,
			steps = steps || v.column5 FROM (VALUES `+values+`) AS v
			WHERE message_seq = v.column1 AND recipient_id = v.column2 AND state IN ('queued', 'held')
			RETURNING message_seq, recipient_id`,
			args,
		)
	})
	if err != nil {
		return err
	}

	for _, c := range t.claims {
		if !claimed[c.Key] {
			c.by.err = ErrStale
			continue
		}
		t.emitDelivery(c.Key, Change{State: parley.DeliveryTyping})
	}

	return nil
}

// closeRow is one Advance of a transaction that is believed to begin at typing.
type closeRow struct {
	Key
	steps   []Change // that change something, if it does
	changes []Change // as they were asked for
	by      *write
}

const closeValues = `message_seq, recipient_id, state, reason, reason_code, steps, read`

// flushCloses moves on, with one statement, all deliveries that are at typing;
// where the belief was wrong, each by itself.
func (t *tx) flushCloses() error {
	closed := map[Key]bool{}
	err := inChunks(closeValues, t.closes, func(c *closeRow) []any {
		lines, read := t.stepLines(c.steps)
		last := c.steps[len(c.steps)-1]
		return []any{c.MessageSeq, c.RecipientID, string(last.State), last.Reason, last.reasonCode(), lines, read}
	}, func(values string, args []any) error {
		// What was read or answered meanwhile gets further steps: see climb.
		return t.mark(closed, `UPDATE deliveries SET state = v.column3, reason = v.column4, reason_code = v.column5, steps = steps || v.column6,
			read_at = CASE WHEN v.column7 THEN coalesce(read_at, ?) ELSE read_at END FROM (VALUES `+values+`) AS v
			WHERE message_seq = v.column1 AND recipient_id = v.column2 AND state = 'typing' AND (v.column7 AND answered_at = 0 OR read_at IS NULL)
			RETURNING message_seq, recipient_id`, append([]any{nanos(t.now)}, args...))
	})
	if err != nil {
		return err
	}

	for _, c := range t.closes {
		if closed[c.Key] {
			t.hasRead(c.RecipientID)
			for _, step := range c.steps {
				t.emitDelivery(c.Key, step)
			}
			continue
		}

		if err := t.turn(c.by, func(t *tx) error { return t.advance(c.Key, c.changes) }); err != nil {
			return err
		}
	}

	return nil
}

// mark runs a statement and notes the keys of the rows that it changed.
func (t *tx) mark(changed map[Key]bool, sql string, args []any) error {
	var keys []Key
	if err := t.returning(&keys, sql, args...); err != nil {
		return err
	}
	for _, k := range keys {
		changed[k] = true
	}
	return nil
}
