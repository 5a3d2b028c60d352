package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"parley"
	"parley/store/engine"
	"path/filepath"
	"time"
)

// damageDetail is set in the details of an error that says that the database is damaged.
const damageDetail = "damaged"

// repairStep is the next step where nothing is known of copies.
const repairStep = "Run parley doctor --repair: it puts the newest good copy in its place, and keeps the damaged file."

// progressPath returns the path of the file that says how far a database was.
func progressPath(path string) string { return path + ".progress" }

// or fills in the defaults for a database.
func (r Copies) or(path string) Copies {
	r.Dir = cmp.Or(r.Dir, filepath.Join(filepath.Dir(path), "backups"))
	r.Keep = cmp.Or(r.Keep, 3)
	return r
}

// where says where to find automatic copies.
func (r Copies) where() string {
	if list, err := r.List(); err == nil && len(list) == 0 {
		return "one that parley backup made; there are no automatic ones."
	}
	return fmt.Sprintf("automatic ones are in %s.", r.Dir)
}

// acknowledge writes down that a transaction is about to be acknowledged.
func (db *database) acknowledge(event, message int64) {
	db.noteFailure(db.progress.advance(event, message))
}

// noteFailure logs, once, that something cannot be written down.
func (db *database) noteFailure(err error) {
	if err != nil && !db.progress.failed {
		db.log.Warn("what is acknowledged cannot be written down; a loss would go unnoticed", "error", err)
	}
	db.progress.failed = err != nil
}

// notice stops accepting when an error says that the database is damaged.
func (db *database) notice(err error) {
	switch engine.FaultOf(err) {
	case engine.FaultCorrupt, engine.FaultForeign:
		_ = db.condemn(err.Error())
	}
}

// condemn stops accepting, because the database is damaged, and returns why.
func (db *database) condemn(cause string) error {
	e := damaged(db.path).With("cause", cause)
	if db.safety.lost.CompareAndSwap(nil, e) {
		db.log.Error("the database is damaged", "cause", cause)
		db.safety.tell("The database %s is damaged (%s), so nothing more is accepted. Run parley doctor --repair.",
			db.path, cause)
	}
	return e
}

// explain completes an error that says that the database is damaged: with the newest good copy,
// and with what it lacks.
func (db *database) explain(ctx context.Context, err error) error {
	e, ok := errors.AsType[*parley.Error](err)
	if !ok || e.Details[damageDetail] == nil {
		return err
	}
	before, _ := readNoted(db.progress.path) // unreadable, it tells nothing
	c, has := db.copies.newestGood(ctx)
	return explainDamage(e, c, missing(before.progress, has), db.now())
}

// explainDamage completes an error of damage with a copy, nil for none, and what it lacks.
func explainDamage(e *parley.Error, c *Copy, lacks *Shortfall, now time.Time) *parley.Error {
	if c == nil {
		return e.Suggest("Move it away, and put a copy of parley backup there: there is no automatic one. " +
			"Or run parley doctor --repair: it goes on with what can be read, keeps what is there, and says what is missing.")
	}

	would := "Nothing that was acknowledged is missing in it"
	if lacks != nil {
		would = fmt.Sprintf("It lacks %s that came later", lacks.Words())
		e = e.With("missing_messages", lacks.Messages)
	}

	return e.With("copy", c.Path).With("copied_at", c.Made.UTC()).
		Suggest("Run parley doctor --repair: it goes on with what can be read, or puts back the copy of %s (%s ago), and "+
			"keeps what is there. %s. With --as-is it uses no copy.",
			parley.LocalTime(c.Made, now), parley.FormatDuration(now.Sub(c.Made)), would)
}

func (o *Options) clock() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
