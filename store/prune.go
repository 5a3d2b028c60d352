package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/store/engine"
)

// Retention says from when on things are kept: what is older is removed. The zero time keeps
// everything.
type Retention struct {
	Events   time.Time
	Log      time.Time // of the agents
	Steps    time.Time // of the deliveries: the first and last ones, and the proof of arrival, stay
	Messages time.Time // with their deliveries and words; what is not finished stays
}

// Pruned counts what was removed.
type Pruned struct{ Events, Log, Steps, Messages int64 }

// pruneRows bounds the rows that one step of Prune looks at. A step delays other writes, by
// some milliseconds.
const pruneRows = 300

// Prune removes what is older than the retention says, in small steps. Between two of them it
// calls pause, and ends when that returns an error. Other calls may write meanwhile. Events keep
// their numbers, and freed pages return to the file system.
func (s *Workspace) Prune(ctx context.Context, r Retention, pause func() error) (done Pruned, err error) {
	p := pruning{db: s.db, pause: pause}
	for _, part := range []struct {
		before time.Time
		count  *int64
		prune  func(ctx context.Context, before int64) (int64, error)
	}{
		{r.Events, &done.Events, p.rows("events", "seq")},
		{r.Log, &done.Log, p.rows("agent_log", "id")},
		{r.Steps, &done.Steps, p.steps},
		{r.Messages, &done.Messages, p.messages},
	} {
		if part.before.IsZero() {
			continue
		}
		if *part.count, err = part.prune(ctx, nanos(part.before)); err != nil {
			return done, err
		}
	}

	for _, step := range []func(context.Context) error{p.relays, p.contents, p.giveBack} {
		if err := step(ctx); err != nil {
			return done, err
		}
	}
	return done, nil
}

type pruning struct {
	db    *database
	pause func() error
}

// rows returns a function that removes the old rows of a table whose numbers rise with the time, but for a clock
// that was set back.
func (p *pruning) rows(table, key string) func(ctx context.Context, before int64) (int64, error) {
	return func(ctx context.Context, before int64) (removed int64, err error) {
		var first []int64
		err = p.db.read(ctx, "looking for old rows", &first, `SELECT `+key+` FROM `+table+` ORDER BY `+key+` LIMIT 1`)
		for err == nil && len(first) > 0 {
			var n int64
			err = p.db.write(ctx, "removing old rows", func(t *tx) (err error) {
				n, err = t.Exec(`DELETE FROM `+table+` WHERE `+key+` >= ? AND `+key+` < ? AND at < ?`,
					first[0], first[0]+pruneRows, before)
				return err
			})
			removed += n
			if err != nil {
				break
			}

			if first[0] += pruneRows; n == 0 {
				first, err = p.nextOld(ctx, table, key, first[0]-pruneRows, before)
			}
			if err == nil && len(first) > 0 {
				err = p.pause()
			}
		}

		return removed, err
	}
}

// nextOld returns the number of the first old row behind rows that were written while the clock was ahead. It looks
// for one only if the first row from a number on is later than the last of all, for it may read the whole table.
func (p *pruning) nextOld(ctx context.Context, table, key string, from, before int64) (next []int64, err error) {
	var ahead bool
	err = p.db.read(ctx, "looking for old rows", &ahead, `SELECT coalesce(
			(SELECT at FROM `+table+` WHERE `+key+` >= ? ORDER BY `+key+` LIMIT 1) >
			(SELECT at FROM `+table+` ORDER BY `+key+` DESC LIMIT 1), false)`, from)
	if err == nil && ahead {
		err = p.db.read(ctx, "looking for old rows", &next, `SELECT `+key+` FROM `+table+`
			WHERE `+key+` >= ? AND at < ? ORDER BY `+key+` LIMIT 1`, from, before)
	}
	return next, err
}

// oldSteps is a delivery whose steps may be shortened.
type oldSteps struct {
	MessageSeq  int64
	RecipientID string
	Steps       string
}

// stepsFact is the name of the fact that holds the last message whose steps were shortened.
const stepsFact = "pruned_steps"

// steps shortens the steps of settled deliveries.
func (p *pruning) steps(ctx context.Context, before int64) (shortened int64, err error) {
	var last []int64
	err = p.db.read(ctx, "looking for old steps", &last,
		`SELECT CAST(value AS BIGINT) FROM facts WHERE name = ?`, stepsFact)
	after, recipient := append(last, 0)[0], ""
	for err == nil {
		var rows []oldSteps
		err = p.db.read(ctx, "reading old steps", &rows, `SELECT d.message_seq, d.recipient_id, d.steps FROM deliveries d
			JOIN messages m ON m.seq = d.message_seq
			WHERE (d.message_seq, d.recipient_id) > (?, ?) AND m.accepted_at < ? AND NOT (`+isOpen+`)
			ORDER BY d.message_seq, d.recipient_id LIMIT ?`, after, recipient, before, pruneRows)
		if err != nil || len(rows) == 0 {
			return shortened, err
		}

		after, recipient = rows[len(rows)-1].MessageSeq, rows[len(rows)-1].RecipientID
		var n int64
		if n, err = p.shorten(ctx, rows, after); err == nil {
			err = p.pause()
		}
		shortened += n
	}

	return shortened, err
}

// shorten shortens the steps of some deliveries that have not changed since they were read.
func (p *pruning) shorten(ctx context.Context, rows []oldSteps, after int64) (n int64, err error) {
	err = p.db.write(ctx, "shortening steps", func(t *tx) error {
		n = 0
		for _, r := range rows {
			short := shortSteps(r.Steps)
			if short == r.Steps {
				continue
			}

			changed, err := t.Exec(`UPDATE deliveries SET steps = ?
				WHERE message_seq = ? AND recipient_id = ? AND steps = ?`, short, r.MessageSeq, r.RecipientID, r.Steps)
			if err != nil {
				return err
			}
			n += changed
		}

		_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, stepsFact, strconv.FormatInt(after, 10))
		return err
	})
	return n, err
}

// shortSteps returns the first step, the one that proved the arrival, and the last.
func shortSteps(lines string) string {
	all := slices.Collect(strings.Lines(lines))
	arrived := slices.IndexFunc(all, func(line string) bool {
		steps := parseSteps(line)
		return len(steps) > 0 && steps[0].State.Delivered()
	})

	var kept strings.Builder
	for i, line := range all {
		if i == 0 || i == arrived || i == len(all)-1 {
			kept.WriteString(line)
		}
	}

	return kept.String()
}

// oldMessage is a message that may be removed.
type oldMessage struct {
	Seq      int64
	Text     string
	SenderID string
	ThreadID string
	Finished bool
}

// isFinished selects messages that nobody waits for: they were read or given up, nobody owes
// a response, and their thread has been quiet. The newest message stays: it holds the last number.
const isFinished = `(m.seq < (SELECT max(seq) FROM messages)
	AND NOT EXISTS (SELECT 1 FROM deliveries d JOIN agents r ON r.id = d.recipient_id WHERE d.message_seq = m.seq
		AND (` + isOpen + ` OR d.state = 'unconfirmed' AND d.dismissed = 0 AND ` + isOurs + `
			OR d.read_at IS NULL AND r.kind <> 'terminal'))
	AND NOT EXISTS (SELECT 1 FROM debts b WHERE b.message_seq = m.seq AND b.state IN ('open', 'partial'))
	AND NOT EXISTS (SELECT 1 FROM threads th WHERE th.id = m.thread_id AND th.last_message_at >= ?))`

// messages removes finished messages, with all that belongs to them.
func (p *pruning) messages(ctx context.Context, before int64) (removed int64, err error) {
	for after := int64(0); ; {
		var rows []oldMessage
		err = p.db.read(ctx, "looking for old messages", &rows, `SELECT m.seq, m.text, m.sender_id, m.thread_id,
			`+isFinished+` AS finished FROM messages m WHERE m.seq > ? AND m.accepted_at < ?
			ORDER BY m.seq LIMIT ?`, before, after, before, pruneRows)
		if err != nil || len(rows) == 0 {
			return removed, err
		}

		after = rows[len(rows)-1].Seq
		n, err := p.removeMessages(ctx, rows, before)
		removed += n
		if err != nil {
			return removed, err
		}
		if err := p.pause(); err != nil {
			return removed, err
		}
	}
}

func (p *pruning) removeMessages(ctx context.Context, rows []oldMessage, before int64) (n int64, err error) {
	rows = slices.DeleteFunc(rows, func(m oldMessage) bool { return !m.Finished })
	if len(rows) == 0 {
		return 0, nil
	}

	err = p.db.write(ctx, "removing old messages", func(t *tx) error {
		n = 0
		for _, m := range rows {
			gone, err := removeMessage(t, m, before)
			if err != nil {
				return err
			}
			n += gone
		}
		return notePruned(t, rows[len(rows)-1].Seq)
	})

	return n, err
}

// prunedFact is the name of the fact that holds the highest number of a message that was removed.
const prunedFact = "pruned_messages"

// notePruned stores that messages up to a number were removed, so that a repair does not miss them.
func notePruned(t *tx, last int64) error {
	_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value =
		CASE WHEN CAST(facts.value AS BIGINT) > CAST(excluded.value AS BIGINT) THEN facts.value ELSE excluded.value END`,
		prunedFact, strconv.FormatInt(last, 10))
	return err
}

// removeMessage removes a message unless somebody has begun to wait for it meanwhile.
func removeMessage(t *tx, m oldMessage, before int64) (int64, error) {
	var still []int64
	err := t.Query(&still, `SELECT m.seq FROM messages m WHERE m.seq = ? AND `+isFinished, m.Seq, before)
	if err != nil || len(still) == 0 {
		return 0, err
	}

	var recipients []string
	if err := t.Query(&recipients, `SELECT recipient_id FROM deliveries WHERE message_seq = ?`, m.Seq); err != nil {
		return 0, err
	}
	for _, id := range recipients {
		gotOlder(t, id) // its counts no longer hold
	}

	// Words can be removed only as they were written. Recipients are left out: some may have come
	// later, with a delegation. Their marks find nothing without words.
	words := wordsRow{seq: m.Seq, text: m.Text, senderID: m.SenderID, threadID: m.ThreadID}
	if err := wordsOf(t.SQL).remove(t, &words); err != nil {
		return 0, err
	}

	for _, table := range []string{"deliveries", "debts", "message_files"} {
		if _, err := t.Exec(`DELETE FROM `+table+` WHERE message_seq = ?`, m.Seq); err != nil {
			return 0, err
		}
	}

	return t.Exec(`DELETE FROM messages WHERE seq = ?`, m.Seq)
}

// freePages is how many freed pages one step returns to the file system.
const freePages = 200

// giveBack returns freed pages to the file system. A database that an earlier version made
// cannot: it fills them again first.
func (p *pruning) giveBack(ctx context.Context) error {
	for p.db.base.SQL.Embedded {
		var free, mode int64
		if err := p.db.read(ctx, "looking for free pages", &free, `PRAGMA freelist_count`); err != nil {
			return err
		}
		if err := p.db.read(ctx, "looking for free pages", &mode, `PRAGMA auto_vacuum`); err != nil {
			return err
		}
		if mode != engine.IncrementalVacuum || free < freePages {
			return nil
		}

		err := p.db.write(ctx, "returning free pages", func(t *tx) error {
			t.Wrote()
			return t.Query(new([]int64), `PRAGMA incremental_vacuum(200)`)
		})
		if err == nil {
			err = p.pause()
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// FilesBefore returns at most limit ids of files that were stored before a time, were not
// removed, and that no message carries that somebody waits for.
func (s *Files) FilesBefore(ctx context.Context, before time.Time, limit int) (ids []string, err error) {
	err = s.db.read(ctx, "looking for old files", &ids, `SELECT f.id FROM files f
		WHERE f.removed_at = 0 AND f.created_at < ?
		AND NOT EXISTS (SELECT 1 FROM message_files c JOIN deliveries d ON d.message_seq = c.message_seq
			WHERE c.file_id = f.id AND (`+isOpen+` OR d.read_at IS NULL AND d.state IN ('submitted', 'unconfirmed')))
		LIMIT ?`, nanos(before), limit)
	return ids, err
}
