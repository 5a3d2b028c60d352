package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
)

// SQLite drops what follows the first damaged page of its write-ahead log, without a word.
// So the store writes down outside of the database how far it was when it last acknowledged
// something, and compares the two when it opens. The same shows a database that was replaced
// by an older copy. The file is not synced: the commit before it was, and an older number
// than the true one gives no false alarm.

// progress is how far a database is: the highest numbers that it has given.
type progress struct{ Event, Message int64 }

// progressForm has a fixed length, so that a line is replaced in one write.
const progressForm = "%020d %020d\n"

func readProgress(path string) (p progress, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return p, ignoreMissing(err)
	}
	if _, err := fmt.Sscanf(string(text), progressForm, &p.Event, &p.Message); err != nil {
		return progress{}, nil // half a line tells nothing
	}
	return p, nil
}

// progressOf reads how far a database is.
func progressOf(ctx context.Context, db *sql.DB) (p progress, err error) {
	if p.Event, err = lastEvent(ctx, db); err != nil {
		return p, err
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM messages`).Scan(&p.Message)
	return p, err
}

// progressFile holds what was last acknowledged. Only the writing goroutine uses it.
type progressFile struct {
	path   string
	file   *os.File // nil before the first write
	last   progress
	failed bool // the last write of it failed
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

func (f *progressFile) write() (err error) {
	if f.file == nil {
		if f.file, err = os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	_, err = f.file.WriteAt(fmt.Appendf(nil, progressForm, f.last.Event, f.last.Message), 0)
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
	Since    time.Time `json:"since"`         // when it was noticed
	Log      string    `json:"log,omitempty"` // a copy of the write-ahead log as it was found
}

// Words says what is missing, such as "20 messages".
func (s *Shortfall) Words() string {
	if s.Messages == 0 {
		return number(s.Events, "event")
	}
	return number(s.Messages, "message")
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
		n, err := t.exec(`DELETE FROM facts WHERE name = ?`, shortfallFact)
		found = n > 0
		return err
	})
	return found, err
}

// compareProgress looks whether the database lacks something that was acknowledged. If so, it
// stores that, for the operator, and gives up the deliveries that are open, which may have been
// typed since. Event numbers go on after the last one that was acknowledged.
func (db *database) compareProgress(ctx context.Context) (err error) {
	has, err := progressOf(ctx, db.readerPool)
	if err != nil {
		return err
	}

	acknowledged, err := readProgress(db.progress.path)
	if err != nil {
		return err
	}

	db.progress.last = has
	found := missing(acknowledged, has)
	if found == nil {
		return nil
	}

	found.Since = db.now()
	found.Log = db.keepLog()
	w := &write{change: func(t *tx) error { return recordShortfall(t, found, acknowledged.Event) }}
	if err := errors.Join(db.attempt([]*write{w}), w.err); err != nil {
		return err
	}

	db.events.last.Store(max(db.events.last.Load(), acknowledged.Event))
	db.safety.tell("The database lacks %s that parley had acknowledged. Run parley needs.", found.Words())

	return nil
}

func recordShortfall(t *tx, found *Shortfall, last int64) error {
	value, err := json.Marshal(found)
	if err != nil {
		return err
	}

	if _, err := t.exec(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, shortfallFact, string(value)); err != nil {
		return err
	}

	for _, statement := range t.sql.goOn {
		if _, err := t.exec(strings.ReplaceAll(statement, "LAST", fmt.Sprint(last))); err != nil {
			return err
		}
	}

	return doubtOpen(t)
}

// doubtOpen gives up all open deliveries: the terminals may have had them already.
func doubtOpen(t *tx) error {
	var keys []Key
	if err := t.query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d WHERE `+isOpen); err != nil {
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

// keepLog copies the write-ahead log as it was found, for somebody who knows how to read what
// follows a damaged page. It returns the path of the copy, "" if there is none.
func (db *database) keepLog() string {
	path := filepath.Join(db.copies.Dir, filepath.Base(db.path)+"-wal.damaged")
	if os.MkdirAll(db.copies.Dir, 0o700) != nil || copyFile(db.path+"-wal", path) != nil {
		return ""
	}
	return path
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()

	w, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	if err == nil {
		err = w.Sync()
	}

	return errors.Join(err, w.Close())
}
