package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// explain completes an error that says that the database is damaged: with the newest good copy,
// and with what it lacks.
func (db *database) explain(ctx context.Context, err error) error {
	e, ok := errors.AsType[*parley.Error](err)
	if !ok || e.Details[damageDetail] == nil {
		return err
	}
	before, _ := engine.ReadNoted(db.base.Progress.Path) // unreadable, it tells nothing
	c, has := schema.NewestGood(ctx, db.copies)
	return explainDamage(e, c, missing(before.Progress, has), db.base.Now())
}

// explainDamage completes an error of damage with a copy, nil for none, and what it lacks.
func explainDamage(e *parley.Error, c *Copy, lacks *Shortfall, now time.Time) *parley.Error {
	if c == nil {
		return e.Suggest("Move it away, and put a copy of parley backup there: there is no automatic one. " +
			"Or run parley doctor --repair: it goes on with what can be read, keeps what is there, and says what is " +
			"missing.")
	}

	would := "Nothing that was acknowledged is missing in it"
	if lacks != nil {
		would = fmt.Sprintf("It lacks %s that came later", lacks.Words())
		e = e.With("missing_messages", lacks.Messages)
	}

	return e.With("copy", c.Path).With("copied_at", c.Made.UTC()).
		Suggest("Run parley doctor --repair: it goes on with what can be read, or puts back the copy of %s (%s ago), "+
			"and keeps what is there. %s. With --as-is it uses no copy.",
			parley.LocalTime(c.Made, now), plain.FormatDuration(now.Sub(c.Made)), would)
}
