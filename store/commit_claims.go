package store

import (
	"parley"
)

// claimRow is one Claim of a transaction.
type claimRow struct {
	Key
	paneSeq   int64
	announced bool
	by        *write
}

var claimColumns = columns[claimRow]{
	{"message_seq", func(c *claimRow) any { return c.MessageSeq }},
	{"recipient_id", func(c *claimRow) any { return c.RecipientID }},
	{"pane_seq", func(c *claimRow) any { return c.paneSeq }},
	{"notice", func(c *claimRow) any { return c.announced }},
}

// flushClaims makes all claims with one statement. A claim of a delivery that no longer
// waits gets ErrStale.
func (t *tx) flushClaims() error {
	claimed := map[Key]bool{}
	line := stepLine(parley.Step{State: parley.DeliveryTyping, At: t.now})
	err := claimColumns.inChunks(t.claims, func(values string, args []any) error {
		return markChanged(t, claimed, `WITH v (`+claimColumns.names()+`) AS (VALUES `+values+`)
			UPDATE deliveries SET state = 'typing', reason = '', reason_code = '',
				pane_seq = v.pane_seq, notice = v.notice, steps = steps || ?
			FROM v WHERE deliveries.message_seq = v.message_seq AND deliveries.recipient_id = v.recipient_id
				AND state IN ('queued', 'held')
			RETURNING message_seq, recipient_id`, append(args, line))
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

// closeRow is one Advance of a transaction that probably begins at typing.
type closeRow struct {
	Key
	steps   []Change // the changes that change something from there
	changes []Change // as the caller gave them
	lines   string   // the steps as the database keeps them
	read    bool     // one of them is that the message was read
	by      *write
}

var closeColumns = columns[closeRow]{
	{"message_seq", func(c *closeRow) any { return c.MessageSeq }},
	{"recipient_id", func(c *closeRow) any { return c.RecipientID }},
	{"state", func(c *closeRow) any { return string(c.last().State) }},
	{"reason", func(c *closeRow) any { return c.last().Reason }},
	{"reason_code", func(c *closeRow) any { return c.last().reasonCode() }},
	{"steps", func(c *closeRow) any { return c.lines }},
	{"is_read", func(c *closeRow) any { return c.read }},
}

// last returns the rung that the delivery reaches.
func (c *closeRow) last() *Change { return &c.steps[len(c.steps)-1] }

// flushCloses moves all deliveries on that are at typing, with one statement. Those that
// are not there follow one by one.
func (t *tx) flushCloses() error {
	for i := range t.closes {
		c := &t.closes[i]
		c.lines, c.read = stepLines(c.steps, t.now)
	}

	closed := map[Key]bool{}
	err := closeColumns.inChunks(t.closes, func(values string, args []any) error {
		// A delivery that was read or answered meanwhile needs further steps: see climb.
		return markChanged(t, closed, `WITH v (`+closeColumns.names()+`) AS (VALUES `+values+`)
			UPDATE deliveries SET state = v.state, reason = v.reason, reason_code = v.reason_code,
				steps = deliveries.steps || v.steps,
				read_at = CASE WHEN v.is_read THEN coalesce(read_at, ?) ELSE read_at END
			FROM v WHERE deliveries.message_seq = v.message_seq AND deliveries.recipient_id = v.recipient_id
				AND deliveries.state = 'typing' AND (v.is_read AND answered_at = 0 OR read_at IS NULL)
			RETURNING message_seq, recipient_id`, append(args, nanos(t.now)))
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

		if err := t.apply(c.by, func(t *tx) error { return advance(t, c.Key, c.changes) }); err != nil {
			return err
		}
	}

	return nil
}

// markChanged runs a statement and adds the keys of the rows that it changed.
func markChanged(t *tx, changed map[Key]bool, sql string, args []any) error {
	var keys []Key
	if err := t.returning(&keys, sql, args...); err != nil {
		return err
	}
	for _, k := range keys {
		changed[k] = true
	}
	return nil
}
