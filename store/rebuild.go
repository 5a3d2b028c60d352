package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"parley/store/engine"
	"slices"
	"time"
)

// rebuilt says what a new database has of a damaged one.
type rebuilt struct {
	has  engine.Progress
	torn []string // tables of which rows could not be read
	lost int64    // messages that are missing, by their numbers
	old  bool     // some rows may be as they were before
}

// source is a way to read a damaged database.
type source struct {
	path  string
	alone bool // without its write-ahead log
	has   engine.Progress
	stale bool // some of what it holds is older than the rest
}

// damagedPragmas let SQLite read a file that is shorter than it says, or of which not all tables are known. Another
// pragma might read the file before they are set.
var damagedPragmas = []string{"query_only(1)", "writable_schema(1)"}

func (s *source) open() (*sql.DB, error) {
	how := "&mode=ro"
	if s.alone {
		how += "&immutable=1"
	}
	return engine.Connect(engine.DSN(s.path, time.Second, damagedPragmas...)+how, 1)
}

// rebuild reads what a source holds into a new database, and takes rows that it lacks from a copy, nil for none. It
// makes the index of words again. Known is what is known of the database.
func (s *source) rebuild(ctx context.Context, to string, c *Copy, known engine.Progress) (r rebuilt, err error) {
	tuned := tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime, moves: true}
	made, err := open(ctx, Options{Path: to}, tuned)
	if err != nil {
		return r, err
	}
	if err := made.Close(); err != nil {
		return r, err
	}

	if r, err = s.transfer(ctx, to, c, known); err != nil {
		return r, err
	}
	if r.has, err = examineCopy(ctx, to); err != nil {
		return r, err
	}
	if len(r.torn) == 0 && !s.stale {
		r.has = s.has // the last numbers may be of rows that were removed
	}

	f, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return r, err
	}

	return r, errors.Join(f.Sync(), f.Close())
}

// transfer copies all rows from a source to a database without rows.
func (s *source) transfer(ctx context.Context, to string, c *Copy, known engine.Progress) (r rebuilt, err error) {
	from, err := s.open()
	if err != nil {
		return r, err
	}
	defer from.Close()
	pool, err := engine.Connect(engine.DSN(to, time.Second, "foreign_keys(0)"), 1)
	if err != nil {
		return r, err
	}
	defer pool.Close()

	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return r, err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	v := engine.Salvage{From: from, To: tx}
	if r.torn, err = v.Run(ctx); err != nil {
		return r, err
	}
	missing := r.torn
	if r.old = s.stale; s.stale {
		missing = append(grown(), r.torn...)
	}
	if len(missing) > 0 {
		if r.lost, err = mend(ctx, v, missing, c, known); err != nil {
			return r, err
		}
	}
	if err := fillWords(ctx, tx, &engine.SQLite); err != nil {
		return r, err
	}

	return r, tx.Commit()
}

// mend takes what could not be read from a copy, and returns how many messages are still missing.
func mend(
	ctx context.Context, s engine.Salvage, torn []string, c *Copy, known engine.Progress,
) (lost int64, err error) {
	if c != nil {
		if err := s.Fill(ctx, c.Path, torn); err != nil {
			return 0, err
		}
	}
	if err := s.Join(ctx, inventAgent); err != nil {
		return 0, err
	}
	return lostMessages(ctx, s.To, c, known)
}

// lostMessages counts the messages that are missing. Those up to the last one that was removed for its age, or up to
// the last one of a copy, may have been removed.
func lostMessages(ctx context.Context, tx *sql.Tx, c *Copy, known engine.Progress) (lost int64, err error) {
	var before int64
	if c != nil {
		has, err := progressOfCopy(ctx, c.Path)
		if err != nil {
			return 0, err
		}
		before = has.Row
	}

	var last, n int64
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM facts WHERE name = ?`, prunedFact).
		Scan(&last)
	if err != nil {
		return 0, err
	}
	before = max(before, last)
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(max(seq), 0) FROM messages WHERE seq > ?`, before).
		Scan(&n, &last)

	return max(0, max(known.Row, last)-before-n), err
}

// grown returns the names of the tables from which rows are only removed for their age, so that a row of a copy is good.
// A key that was revoked, for example, would count again.
func grown() (names []string) {
	for _, k := range tables {
		if k := k.Describe(); k.Grows {
			names = append(names, k.Name)
		}
	}
	return names
}

// inventAgent returns a statement that adds the lost agents which rows of a table name, "" for a table whose rows go with
// them.
func inventAgent(r *engine.Reference) string {
	if r.Parent != "agents" || !slices.Contains(grown(), r.Table) || r.Table == "responders" {
		return ""
	}
	return `INSERT OR IGNORE INTO agents (id, name, description, role, capabilities, team_groups, kind, state,
		since, evidence, host, profile, command, orchestrate, created_at, last_active)
		SELECT DISTINCT ` + r.Column + `, 'lost-' || substr(` + r.Column + `, 1, 8), '', '', '[]', '[]', 'mailbox',
		'terminated', 0, '', '', '', '[]', 0, 0, 0 FROM ` + r.Table + ` WHERE ` + r.Dangling()
}
