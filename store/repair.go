package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// Repaired says what Repair did.
type Repaired struct {
	PutBack  bool       // the database had been removed while it was open
	Replaced bool       // it was not whole
	Aside    string     // where it is now; "" if there was none
	Copy     *Copy      // what took its place; nil if it could be rebuilt
	Lacks    *Shortfall // what that lacks of what was acknowledged; nil for nothing
}

// Repair puts back a database that was removed or replaced while a daemon had it open. It replaces one that is not
// whole by all that can be read of it, with what it lacks from the newest good copy, or by that copy if it knows more.
// If nothing is left of it, it is begun again. What was there is kept. No daemon may run.
func Repair(ctx context.Context, o Options) (Repaired, error) { return repairFrom(ctx, o, true) }

// GoOn is like Repair, but uses no copy: it goes on with what is there, whatever that lacks.
func GoOn(ctx context.Context, o Options) (Repaired, error) { return repairFrom(ctx, o, false) }

func repairFrom(ctx context.Context, o Options, copies bool) (done Repaired, err error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return done, failure(o.Path, "finding the database", err)
	}
	if _, done.PutBack, err = engine.TakeSaved(path, engine.ForeignEnding, o.clock()); err != nil {
		return done, failure(path, "putting the database back", err)
	}

	known, err := schema.NewExaminer(ctx, path, o.Copies.Or(path))
	if err != nil {
		return done, failure(path, "reading what is known of the database", err)
	}
	known.All = true
	if _, err = known.Examine(ctx); err == nil {
		return done, nil
	}
	err = failure(path, "reading the database", err)
	if e, ok := errors.AsType[*parley.Error](err); !ok || e.Details[damageDetail] == nil {
		return done, err
	}

	var from *Copies
	if copies {
		from = new(o.Copies.Or(path))
	}
	r := engine.Repair{Path: path, Now: o.clock, Schema: schema, Rebuilding: o.rebuilding()}
	made, err := r.Replace(ctx, known, from)
	if err != nil {
		return done, failure(path, "repairing the database", err)
	}
	done.Replaced, done.Aside, done.Copy, done.Lacks = true, made.Aside, made.Copy, shortfallOf(made.Lacks)

	return done, nil
}

// rebuilding returns what is known about how a database is made again.
func (o *Options) rebuilding() engine.Rebuilding {
	tuned := tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime}
	once := func(ctx context.Context, o Options, tuned tuning) error {
		s, err := open(ctx, o, tuned)
		if err != nil {
			return err
		}
		return s.Close()
	}

	return engine.Rebuilding{
		Tables: tables,
		Pruned: prunedFact,
		Invent: inventAgent,
		Make: func(ctx context.Context, path string) error {
			tuned := tuned
			tuned.moves = true
			return once(ctx, Options{Path: path}, tuned)
		},
		Finish: func(ctx context.Context, tx *sql.Tx) error { return fillWords(ctx, tx, &engine.SQLite) },
		GoOn: func(ctx context.Context, path string, c engine.Continuation) error {
			tuned := tuned
			tuned.goOn = &c
			return once(ctx, Options{Path: path, Now: o.Now, Log: o.Log}, tuned)
		},
	}
}

// inventAgent returns a statement that adds the lost agents which rows of a table name, "" for a table whose rows go
// with them.
func inventAgent(r *engine.Reference) string {
	if r.Parent != "agents" || !outlivesAgents(r.Table) {
		return ""
	}
	return `INSERT OR IGNORE INTO agents (id, name, role, kind, state, since, evidence, host, profile, command,
		created_at, last_active)
		SELECT DISTINCT ` + r.Column + `, 'lost-' || substr(` + r.Column + `, 1, 8), '', 'mailbox', 'terminated', 0, '',
		'', '', '[]', 0, 0 FROM ` + r.Table + ` WHERE ` + r.Dangling()
}

// outlivesAgents reports whether the rows of a table are kept when the agents that they name are lost.
func outlivesAgents(table string) bool {
	grown := engine.Rebuilding{Tables: tables}
	return slices.Contains(grown.Grown(), table) && table != "responders"
}

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

// Shortfall returns what the database was found to lack, nil for nothing.
func (s *Workspace) Shortfall(ctx context.Context) (*Shortfall, error) {
	var values []string
	err := s.db.read(ctx, "reading what is missing", &values, `SELECT value FROM facts WHERE name = ?`, shortfallFact)
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
	err = s.db.write(ctx, "dismissing what is missing", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM facts WHERE name = ?`, shortfallFact)
		found = n > 0
		return err
	})
	return found, err
}

// settle stores, for the operator, what a repaired database lacks, and gives up the deliveries that are open, which may
// have been typed since.
func (x opening) settle(c *engine.Continuation) error {
	if err := x.db.base.First(func(t *tx) error { return goOn(t, c) }); err != nil {
		return err
	}
	x.db.base.Events.Begin(max(x.db.base.Events.Last(), c.After.Event))
	x.db.base.Progress.Last.Progress = engine.Progress{Event: max(x.db.base.Progress.Last.Event, c.After.Event),
		Row: max(x.db.base.Progress.Last.Row, c.After.Row)}
	return x.db.base.Progress.Write()
}

// goOn lets the numbers go on, and stores what is lacked.
func goOn(t *tx, c *engine.Continuation) error {
	for _, statement := range t.SQL.Continues(tables) {
		if _, err := t.Exec(strings.ReplaceAll(statement, "LAST", fmt.Sprint(c.After.Event))); err != nil {
			return err
		}
	}
	if _, err := t.Exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0
		WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages')`); err != nil {
		return err
	}
	if _, err := t.Exec(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages' AND seq < ?`, c.After.Row,
		c.After.Row); err != nil {
		return err
	}
	if c.Lacks == nil {
		return nil
	}
	if err := (deliveriesIn{t}).doubt(); err != nil {
		return err
	}

	value, err := json.Marshal(shortfallOf(c.Lacks))
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, shortfallFact, string(value))
	return err
}

// doubt gives up all open deliveries: the terminals may have had them already.
func (t deliveriesIn) doubt() error {
	var keys []Key
	if err := t.tx.Query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d WHERE `+isOpen); err != nil {
		return err
	}

	doubted := Change{
		State: parley.DeliveryUnconfirmed,
		Cause: parley.EndedBehind.With(""),
	}
	for _, k := range keys {
		if err := t.write(k, []Change{doubted}, 0); err != nil {
			return err
		}
	}

	return nil
}
