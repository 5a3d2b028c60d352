package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"

	"parley"
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
