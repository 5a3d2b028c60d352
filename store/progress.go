package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"parley"
	"parley/internal/disk"
	"parley/store/engine"
	"strings"
	"time"
)

// SQLite drops what follows the first damaged page of its write-ahead log, without a word, and begins a new database
// where one is missing. So the store writes down outside of the database how far it was when it last acknowledged
// something, and compares the two before it opens it. The file is not synced: the commit before it was, and an older
// number than the true one gives no false alarm.

// progress is how far a database is: the highest numbers that it has given.
type progress struct{ Event, Message int64 }

// noted is what the store writes down about a database.
type noted struct {
	progress
	base int64           // the event up to which the file holds everything without its log
	log  engine.LogSalts // of the log that was last seen; 0 if any is to be expected
	id   uint64          // of the database; 0 if it has none yet
}

// notedForm has a fixed length, so that a line is replaced in one write. Earlier versions wrote the first two numbers.
const notedForm = "%020d %020d %020d %016x %016x\n"

func readNoted(path string) (n noted, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return n, disk.IgnoreMissing(err)
	}
	read, _ := fmt.Sscanf(string(text), notedForm, &n.Event, &n.Message, &n.base, &n.log, &n.id)
	if read < 2 {
		return noted{}, nil // half a line tells nothing
	}
	return n, nil
}

// progressOf reads how far a database is.
func progressOf(ctx context.Context, db *sql.DB) (p progress, err error) {
	if p.Event, err = lastEvent(ctx, db); err != nil {
		return p, err
	}
	err = db.QueryRowContext(ctx, engine.LastNumber("messages")).Scan(&p.Message)
	return p, err
}

// lastEvent returns the highest number that an event ever had, 0 for none.
func lastEvent(ctx context.Context, db *sql.DB) (last int64, err error) {
	err = db.QueryRowContext(ctx, engine.SQLite.LastEvent).Scan(&last)
	return last, err
}

// idFact is the name of the fact that tells a database from others.
const idFact = "id"

// idOf returns the id of a database, 0 if it has none.
func idOf(ctx context.Context, db *sql.DB) (id uint64, err error) {
	var text string
	err = db.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM facts WHERE name = ?), '')`, idFact).Scan(&text)
	if err == nil {
		_, _ = fmt.Sscanf(text, "%x", &id) // what is no number counts as none
	}
	return id, err
}

// progressFile holds what was last acknowledged. Only the writing goroutine uses it.
type progressFile struct {
	path   string
	file   *os.File // nil before the first write
	last   noted
	looked int64 // the last event when the log was last looked at
	failed bool  // the last write of it failed
}

// begin writes down what is known of a database that is about to be written. Its next log may be any.
func (f *progressFile) begin(before, n noted) error {
	f.last, f.looked = n, n.Event
	if before == n || n.Event == 0 {
		return nil
	}
	if err := f.write(); err != nil {
		return err
	}
	return f.file.Sync() // what stands there now would refuse the next log
}

// advance writes down that a transaction is about to be acknowledged. Zeros say that it gave no
// such number.
func (f *progressFile) advance(event, message int64) error {
	if event == 0 || f.path == "" {
		return nil
	}
	f.last.Event = event
	if message > 0 {
		f.last.Message = message
	}
	return f.write()
}

// look writes down which log the database has. A log begins again when the file holds all that was in it.
func (f *progressFile) look(database string) error {
	salts, err := engine.SaltsOf(database)
	if err != nil {
		return err
	}
	before := f.looked
	f.looked = f.last.Event
	if salts == 0 || salts == f.last.log || f.last.Event == 0 {
		return nil
	}
	if f.last.log != 0 {
		f.last.base = before
	}
	f.last.log = salts
	return f.write()
}

func (f *progressFile) write() (err error) {
	if f.file == nil {
		if f.file, err = os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	n := &f.last
	_, err = f.file.WriteAt(fmt.Appendf(nil, notedForm, n.Event, n.Message, n.base, n.log, n.id), 0)
	return err
}

func (f *progressFile) close() {
	if f.file != nil {
		_ = f.file.Close() // nothing is left to be written
	}
}

// Shortfall says that a database lacks what parley had acknowledged.
type Shortfall struct {
	Events   int64     `json:"events"`
	Messages int64     `json:"messages"`
	Tables   []string  `json:"tables,omitempty"` // of which rows could not be read
	Since    time.Time `json:"since"`            // when it was noticed
}

// Words says what is missing, such as "20 messages".
func (s *Shortfall) Words() string {
	switch {
	case s.Messages > 0:
		return number(s.Messages, "message")
	case s.Events > 0:
		return number(s.Events, "event")
	}
	if len(s.Tables) == 0 {
		return "changes"
	}
	return "rows of the tables " + strings.Join(s.Tables, ", ")
}

// number returns "1 message" or "2 messages".
func number(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// missing returns what a database at one point lacks of what was acknowledged, nil for nothing.
func missing(acknowledged, has progress) *Shortfall {
	if acknowledged.Event <= has.Event {
		return nil
	}
	return &Shortfall{
		Events:   acknowledged.Event - has.Event,
		Messages: max(0, acknowledged.Message-has.Message),
	}
}

// shortfallFact is the name of the fact that holds the last shortfall until it is dismissed.
const shortfallFact = "shortfall"

// Shortfall returns what the database was found to lack, nil for nothing.
func (s *Workspace) Shortfall(ctx context.Context) (*Shortfall, error) {
	var values []string
	err := s.read(ctx, "reading what is missing", &values, `SELECT value FROM facts WHERE name = ?`, shortfallFact)
	if err != nil || len(values) == 0 {
		return nil, err
	}

	found := new(Shortfall)
	if err := json.Unmarshal([]byte(values[0]), found); err != nil {
		return nil, fmt.Errorf("read what is missing: %w", err)
	}

	return found, nil
}

// DismissShortfall forgets what the database was found to lack, and reports whether there was
// anything.
func (s *Workspace) DismissShortfall(ctx context.Context) (found bool, err error) {
	err = s.write(ctx, "dismissing what is missing", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM facts WHERE name = ?`, shortfallFact)
		found = n > 0
		return err
	})
	return found, err
}

// continuation is how a repair lets a database that lacks something go on.
type continuation struct {
	after progress   // what was acknowledged: no number up to there is given again
	id    uint64     // of the database, if it does not say
	lacks *Shortfall // nil for nothing
}

// settle stores, for the operator, what a repaired database lacks, and gives up the deliveries that are open, which may
// have been typed since.
func (db *database) settle(c *continuation) error {
	w := engine.NewWrite(c.record)
	if err := errors.Join(db.attempt([]*engine.Write{w}), w.Err()); err != nil {
		return err
	}
	db.events.last.Store(max(db.events.last.Load(), c.after.Event))
	db.progress.last.progress = progress{max(db.progress.last.Event, c.after.Event),
		max(db.progress.last.Message, c.after.Message)}
	return db.progress.write()
}

func (c *continuation) record(t *tx) error {
	for _, statement := range t.SQL.Continues(tables) {
		if _, err := t.Exec(strings.ReplaceAll(statement, "LAST", fmt.Sprint(c.after.Event))); err != nil {
			return err
		}
	}
	if _, err := t.Exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0
		WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages')`); err != nil {
		return err
	}
	if _, err := t.Exec(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages' AND seq < ?`, c.after.Message,
		c.after.Message); err != nil {
		return err
	}
	if c.lacks == nil {
		return nil
	}
	if err := doubtOpen(t); err != nil {
		return err
	}

	value, err := json.Marshal(c.lacks)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, shortfallFact, string(value))
	return err
}

// doubtOpen gives up all open deliveries: the terminals may have had them already.
func doubtOpen(t *tx) error {
	var keys []Key
	if err := t.Query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d WHERE `+isOpen); err != nil {
		return err
	}

	doubted := Change{
		State:  parley.DeliveryUnconfirmed,
		Reason: parley.EndedBehind.Words(""),
		Code:   parley.EndedBehind,
	}
	for _, k := range keys {
		if err := writeSteps(t, k, []Change{doubted}, 0); err != nil {
			return err
		}
	}

	return nil
}
