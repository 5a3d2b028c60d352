package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"parley"
	"parley/store/engine"
)

// claims and closes are what changes want to do with deliveries. A transaction does it at its end.
var (
	claims = engine.Table[claimRow]{Write: makeClaims}
	closes = engine.Table[closeRow]{Write: makeCloses}
)

// claimRow is one Claim of a transaction.
type claimRow struct {
	Key
	paneSeq   int64
	announced bool
	door      bool
	reason    parley.Hold // what it waits for; the zero value: nothing
	by        *engine.Write
}

// makeClaims makes all claims. A claim of a delivery that no longer waits gets ErrStale.
func makeClaims(t *tx, claims []claimRow) error {
	for _, c := range claims {
		change := Change{State: parley.DeliveryTyping, Reason: c.reason.Reason, Code: c.reason.Code}
		changed, err := t.ExecRow(`UPDATE deliveries SET state = 'typing', reason = ?, reason_code = ?,
				pane_seq = ?, notice = ?, door = ?, steps = steps || ?
			WHERE message_seq = ? AND recipient_id = ? AND state IN ('queued', 'held')`+ownDeliveries(t.Host),
			change.Reason, change.reasonCode(), c.paneSeq, c.announced, c.door, stepLine(change.step(t.Now)),
			c.MessageSeq, c.RecipientID)
		if err != nil {
			return err
		}

		if changed == 0 {
			c.by.Refuse(ErrStale)
			continue
		}
		deliveriesIn{t}.emit(c.Key, change)
	}

	return nil
}

// claim notes in out which deliveries of a post are claimed as they are stored: those for which
// that was asked, unless the conversation protocol withholds them, or something else is open for
// their recipient, which goes first.
func (p posting) claim() error {
	wanted := map[string]uint64{}
	for i := range p.Deliveries {
		if d := &p.Deliveries[i]; d.PaneSeq != 0 && waits(d.State) && d.Withheld == "" {
			wanted[d.RecipientID] = d.PaneSeq
		}
	}
	if len(wanted) == 0 {
		return nil
	}

	for _, before := range deliveriesTable.Added(p.tx) {
		delete(wanted, before.RecipientID)
	}
	recipients, err := json.Marshal(slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	busy := func(rows *sql.Rows) error {
		id := ""
		err := rows.Scan(&id)
		delete(wanted, id)
		return err
	}
	p.out.claims = wanted

	return p.tx.QueryRows(busy, `SELECT value FROM `+p.tx.SQL.Each+` WHERE EXISTS (
		SELECT 1 FROM deliveries d`+p.tx.SQL.IndexedBy("deliveries_open")+` WHERE d.recipient_id = value AND `+isOpen+`)`,
		string(recipients))
}

// closeRow is one Advance of a transaction that probably begins at typing.
type closeRow struct {
	Key
	steps   []Change // the changes that change something from there
	changes []Change // as the caller gave them
	by      *engine.Write
}

// makeCloses moves the deliveries on that are at typing. Those that are not there take
// the way of all others.
func makeCloses(t *tx, closes []closeRow) error {
	var last []Change // those of the row before, and the same as the database stores it
	var lines string
	var read bool
	for i := range closes {
		c := &closes[i]
		if !slices.Equal(c.steps, last) {
			last = c.steps
			lines, read = stepLines(c.steps, t.Now)
		}

		closed, err := closeTyped(t, c, lines, read)
		if err != nil {
			return err
		}

		if closed {
			hasRead(t, c.RecipientID)
			for _, step := range c.steps {
				deliveriesIn{t}.emit(c.Key, step)
			}
			continue
		}

		if err := t.Apply(c.by, func(t *tx) error { return (deliveriesIn{t}).advance(c.Key, c.changes) }); err != nil {
			return err
		}
	}

	return nil
}

// closeTyped moves a delivery on, unless it is not at typing, or was read or answered
// meanwhile and needs further steps: see climb. lines and read are those of stepLines.
func closeTyped(t *tx, c *closeRow, lines string, read bool) (closed bool, err error) {
	last := &c.steps[len(c.steps)-1]
	changed, err := t.ExecRow(`UPDATE deliveries SET state = ?1, reason = ?2, reason_code = ?3,
			steps = steps || ?4, read_at = CASE WHEN ?5 = 1 THEN coalesce(read_at, ?6) ELSE read_at END
		WHERE message_seq = ?7 AND recipient_id = ?8
			AND state = 'typing' AND (?5 = 1 AND answered_at = 0 OR read_at IS NULL)`+ownDeliveries(t.Host),
		string(last.State), last.Reason, last.reasonCode(), lines, read, nanos(t.Now), c.MessageSeq, c.RecipientID)
	return changed > 0, err
}

// roundsAfter returns which writes follow those of a transaction: the claims of what is
// queued, and the outcomes of what is claimed. The terminals of one broadcast take it at about the same time.
func roundsAfter(t *tx) map[engine.Round]int {
	next := map[engine.Round]int{}
	added := deliveriesTable.Added(t)
	for i := range added {
		switch d := &added[i]; {
		case d.isTyped():
			next[outcomeOf(d.MessageSeq)]++
		case d.waits():
			next[claimOf(d.MessageSeq)]++
		}
	}
	for _, c := range claims.Added(t) {
		next[outcomeOf(c.MessageSeq)]++
	}
	return next
}

// claimOf and outcomeOf are what follows a message for each terminal: its claim, and later its outcome.
func claimOf(message int64) engine.Round   { return engine.Round{Of: message, Begins: true} }
func outcomeOf(message int64) engine.Round { return engine.Round{Of: message} }
