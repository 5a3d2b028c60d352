package engine

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

// Rebuilding is what the nouns know about how a database is made again.
type Rebuilding struct {
	Make   func(ctx context.Context, path string) error // makes an empty database
	Tables []Described
	Pruned string // the fact that holds the number of the last row that went for its age

	Invent func(*Reference) string                     // see Salvage.Join
	Finish func(ctx context.Context, tx *sql.Tx) error // makes what is not copied
	// GoOn opens a database that takes the place of another once, so that it knows what it lacks.
	GoOn func(ctx context.Context, path string, c Continuation) error
}

// Grown returns the names of the tables from which rows are only removed for their age, so that a row of a copy is
// good. A key that was revoked, for example, would count again.
func (b *Rebuilding) Grown() (names []string) {
	for _, k := range b.Tables {
		if k := k.Describe(); k.Grows {
			names = append(names, k.Name)
		}
	}
	return names
}

// rebuilt says what a new database has of a damaged one.
type rebuilt struct {
	has  Progress
	torn []string // tables of which rows could not be read
	lost int64    // numbered rows that are missing
	old  bool     // some rows may be as they were before
}

// source is a way to read a damaged database.
type source struct {
	path  string
	alone bool // without its write-ahead log
	has   Progress
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
	return Connect(DSN(s.path, time.Second, damagedPragmas...)+how, 1)
}

// rebuildFrom reads what a source holds into a new database, and takes rows that it lacks from the newest copy. It
// makes again what is not copied.
func (r *Repair) rebuildFrom(ctx context.Context, s *source) (made rebuilt, err error) {
	if err := r.Make(ctx, r.next); err != nil {
		return made, err
	}
	if made, err = r.transfer(ctx, s); err != nil {
		return made, err
	}
	if made.has, err = r.ExamineCopy(ctx, r.next); err != nil {
		return made, err
	}
	if len(made.torn) == 0 && !s.stale {
		made.has = s.has // the last numbers may be of rows that were removed
	}

	f, err := os.OpenFile(r.next, os.O_RDWR, 0)
	if err != nil {
		return made, err
	}

	return made, errors.Join(f.Sync(), f.Close())
}

// transfer copies all rows from a source to a database without rows.
func (r *Repair) transfer(ctx context.Context, s *source) (made rebuilt, err error) {
	from, err := s.open()
	if err != nil {
		return made, err
	}
	defer from.Close()
	pool, err := Connect(DSN(r.next, time.Second, "foreign_keys(0)"), 1)
	if err != nil {
		return made, err
	}
	defer pool.Close()

	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return made, err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	v := Salvage{From: from, To: tx}
	if made.torn, err = v.Run(ctx); err != nil {
		return made, err
	}
	missing := made.torn
	if made.old = s.stale; s.stale {
		missing = append(r.Grown(), made.torn...)
	}
	if len(missing) > 0 {
		if made.lost, err = r.mend(ctx, v, missing); err != nil {
			return made, err
		}
	}
	if err := r.Finish(ctx, tx); err != nil {
		return made, err
	}

	return made, tx.Commit()
}

// mend takes what could not be read from a copy, and returns how many numbered rows are still missing.
func (r *Repair) mend(ctx context.Context, s Salvage, torn []string) (lost int64, err error) {
	if r.newest != nil {
		if err := s.Fill(ctx, r.newest.Path, torn); err != nil {
			return 0, err
		}
	}
	if err := s.Join(ctx, r.Invent); err != nil {
		return 0, err
	}
	return r.lostRows(ctx, s.To)
}

// lostRows counts the numbered rows that are missing. Those up to the last one that was removed for its age, or up to
// the last one of a copy, may have been removed.
func (r *Repair) lostRows(ctx context.Context, tx *sql.Tx) (lost int64, err error) {
	var before int64
	if r.newest != nil {
		has, err := r.ProgressOfCopy(ctx, r.newest.Path)
		if err != nil {
			return 0, err
		}
		before = has.Row
	}

	var last, n int64
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM facts WHERE name = ?`,
		r.Pruned).
		Scan(&last)
	if err != nil {
		return 0, err
	}
	before = max(before, last)
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(max(seq), 0) FROM `+r.Numbered+` WHERE seq > ?`, before).
		Scan(&n, &last)

	return max(0, max(r.known.Known.Row, last)-before-n), err
}
