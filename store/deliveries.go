package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/store/engine"
)

// Pending returns the deliveries that are queued or held for a recipient's terminal,
// urgent ones first, then in the order of acceptance. It leaves out those that the
// conversation protocol withholds.
func (s *Deliveries) Pending(ctx context.Context, recipientID string, limit int) ([]Job, error) {
	return s.jobs(ctx, `d.state <> 'typing' AND NOT (`+isWithheld+`)`, recipientID, limit)
}

// PendingAmong is like Pending, but only for these messages, withheld ones included.
func (s *Deliveries) PendingAmong(ctx context.Context, recipientID string, messageIDs []string) ([]Job, error) {
	return s.jobs(ctx, `d.state <> 'typing' AND m.id IN ?`, recipientID, len(messageIDs), messageIDs)
}

// Typing returns the deliveries to a recipient that were claimed and not closed. There is
// at most one, unless two couriers were at work.
func (s *Deliveries) Typing(ctx context.Context, recipientID string) ([]Job, error) {
	return s.jobs(ctx, `d.state = 'typing'`, recipientID, engine.MaxBatch)
}

// Silent returns the deliveries to a recipient that are unconfirmed since its program, which was given them through
// its own door, had said nothing of them. Those that were dismissed do not count.
func (s *Deliveries) Silent(ctx context.Context, recipientID string) ([]Job, error) {
	// The empty text keeps SQLite from reading the whole inbox.
	return s.jobsWhere(ctx, `d.recipient_id || '' = ? AND `+isRetriable+` AND d.state = 'unconfirmed' AND d.dismissed = 0
		AND d.door = 1 AND d.reason_code = '`+string(parley.EndedDoorSilent)+`'`, recipientID, engine.MaxBatch)
}

func (s *Deliveries) jobs(ctx context.Context, which, recipientID string, limit int, args ...any) ([]Job, error) {
	return s.jobsWhere(ctx, `d.recipient_id = ? AND `+isOpen+` AND `+which, recipientID, limit, args...)
}

func (s *Deliveries) jobsWhere(ctx context.Context, which, recipientID string, limit int, args ...any) ([]Job, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE `+which+`
		ORDER BY d.urgent DESC, d.message_seq LIMIT ?`, append(append([]any{recipientID}, args...), limit)...)
	jobs := make([]Job, len(rows))
	for i := range rows {
		jobs[i] = rows[i].job()
	}
	return jobs, err
}

// ClaimDoor marks a queued or held delivery as being handed to the program through its own door. ErrStale when it
// is neither.
func (s *Deliveries) ClaimDoor(ctx context.Context, k Key) error {
	return s.db.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, door: true, by: t.Current()})
		return nil
	})
}

// ClaimArgument marks a queued or held delivery as being handed to the program as an argument of its start. ErrStale
// when it is neither.
func (s *Deliveries) ClaimArgument(ctx context.Context, k Key) error {
	starting := parley.HoldArgument.With("it is starting")
	return s.db.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, door: true, reason: starting, by: t.Current()})
		return nil
	})
}

// Claim marks a queued or held delivery as being typed, with the sequence number that the
// pane will store. announced says that the terminal gets an announcement of the text. ErrStale when
// it is neither.
func (s *Deliveries) Claim(ctx context.Context, k Key, paneSeq uint64, announced bool) error {
	return s.db.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, paneSeq: int64(paneSeq), announced: announced, by: t.Current()})
		return nil
	})
}

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
	err := s.db.read(ctx, "reading what was typed last", &rows, `
		WITH t AS MATERIALIZED (SELECT * FROM (`+unproven+` UNION ALL `+retried+`) u ORDER BY +u.seq DESC LIMIT 1)
		SELECT `+itemColumns+` FROM t CROSS JOIN deliveries d
		JOIN messages m ON d.message_seq = t.seq AND m.seq = d.message_seq`+itemAgents+` WHERE d.recipient_id = ?`,
		int64(paneSeq), recipientID, int64(paneSeq), recipientID, recipientID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &TypedJob{Job: rows[0].job(), Dismissed: rows[0].Delivery.Dismissed}, nil
}

// Ahead returns the delivery that goes first of those to a recipient's terminal, with its steps, and
// how many go before that of a message. It is nil if none is open.
func (s *Deliveries) Ahead(
	ctx context.Context, recipientID, messageID string,
) (first *parley.Delivery, n int, err error) {
	const goes = isOpen + ` AND NOT (` + isWithheld + `)`
	var rows []itemRow
	err = s.db.read(ctx, "reading the delivery that goes first", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE d.recipient_id = ? AND `+goes+`
		ORDER BY d.state = 'typing' DESC, d.urgent DESC, d.message_seq LIMIT 1`, recipientID)
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}

	d := rows[0].Delivery.delivery()
	if d.MessageID == messageID {
		return &d, 0, nil
	}

	err = s.db.read(ctx, "counting the deliveries that go first", &n, `SELECT count(*)
		FROM deliveries d JOIN messages w ON w.id = ?
		JOIN deliveries k ON k.message_seq = w.seq AND k.recipient_id = d.recipient_id
		WHERE d.recipient_id = ? AND `+goes+` AND d.message_seq <> k.message_seq AND (d.state = 'typing'
			OR d.urgent > k.urgent OR d.urgent = k.urgent AND d.message_seq < k.message_seq)`,
		messageID, recipientID)

	return &d, n, err
}

// expireBatch is how many deliveries expire in one change, so that other writes do not
// wait long.
const expireBatch = 200

// Expire gives up the deliveries that have been queued or held since before a time, and
// returns their keys.
func (s *Deliveries) Expire(ctx context.Context, before time.Time) ([]Key, error) {
	var expired []Key
	for {
		var some []Key
		err := s.db.write(ctx, "expiring deliveries", func(t *tx) (err error) {
			some, err = deliveriesIn{t}.expire(before)
			return err
		})
		expired = append(expired, some...)
		if err != nil || len(some) < expireBatch {
			return expired, err
		}
	}
}

func (t deliveriesIn) expire(before time.Time) ([]Key, error) {
	var keys []Key
	err := t.tx.Query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d
		WHERE `+isOpen+` AND d.state <> 'typing' AND d.queued_at < ? LIMIT ?`, nanos(before), expireBatch)
	expired := Change{
		State: parley.DeliveryExpired,
		Cause: parley.EndedExpired.With(""),
	}
	for i := 0; i < len(keys) && err == nil; i++ {
		err = t.write(keys[i], []Change{expired}, 0)
	}

	return keys, err
}

// Retry begins deliveries of a message again, all or nothing: those in begin that ended
// without proof. Their steps are kept, and their waiting time starts from zero. It
// returns the deliveries that began again, and leaves the others as they are.
func (s *Deliveries) Retry(ctx context.Context, messageID string, begin []NewDelivery) ([]Job, error) {
	var jobs []Job
	err := s.db.write(ctx, "queueing the delivery again", func(t *tx) error {
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
	err := t.tx.Query(&rows, `SELECT `+itemColumns+`
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq`+itemAgents+`
		WHERE m.id = ? AND d.recipient_id = ? AND `+isRetriable+` AND `+isOurs, messageID, b.RecipientID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	job := rows[0].job()
	change := b.change()
	if err := t.write(job.Key, []Change{change}, 0); err != nil {
		return nil, err
	}

	refused := rows[0].Delivery.ReasonCode == string(parley.EndedRefused)
	unconfirmed := job.State == parley.DeliveryUnconfirmed && !refused
	if _, err := t.tx.Exec(`UPDATE deliveries SET queued_at = ?, dismissed = 0, withheld = '',
			typed_before = CASE WHEN ? = 1 THEN 0 WHEN ? = 1 THEN 1 ELSE typed_before END
		WHERE message_seq = ? AND recipient_id = ?`,
		nanos(t.tx.Now), refused, unconfirmed, job.Key.MessageSeq, job.Key.RecipientID); err != nil {
		return nil, err
	}

	job.State, job.Cause, job.QueuedAt = b.State, change.Reason(), t.tx.Now

	return []Job{job}, nil
}

// claims and closes are what changes want to do with deliveries. A transaction does it at its end.
var (
	claims = engine.Table[claimRow]{Write: makeClaims}
	closes = engine.Table[closeRow]{Write: makeCloses}
)

type claimRow struct {
	Key
	paneSeq   int64
	announced bool
	door      bool
	reason    parley.Cause // what it waits for
	by        *engine.Write
}

// makeClaims makes all claims. A claim of a delivery that no longer waits gets ErrStale.
func makeClaims(t *tx, claims []claimRow) error {
	for _, c := range claims {
		change := Change{State: parley.DeliveryTyping, Cause: c.reason}
		changed, err := t.ExecRow(`UPDATE deliveries SET state = 'typing', reason = ?, reason_code = ?,
				pane_seq = ?, notice = ?, door = ?, steps = steps || ?
			WHERE message_seq = ? AND recipient_id = ? AND state IN ('queued', 'held')`+ownDeliveries(t.Host),
			change.Words(), string(change.Code()), c.paneSeq, c.announced, c.door, stepLine(change.step(t.Now)),
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
		string(last.State), last.Reason().Words(), string(last.Reason().Code()), lines, read, nanos(t.Now),
		c.MessageSeq, c.RecipientID)
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
