package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"parley"
	"parley/internal/disk"
	"parley/store/engine"
	"path/filepath"
	"strings"
)

// Moved says what a move has copied.
type Moved struct {
	Rows, Messages int64
}

// Move copies all that one database holds to another, which must be empty, and compares the two then.
// When it was interrupted, it goes on where it ended. No daemon may use either of them. The first is
// kept, but no daemon takes it any more. Tell is called with each table.
func Move(ctx context.Context, from, to Options, tell func(table string, rows int64)) (done Moved, err error) {
	source, err := openSide(ctx, from)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, source.close()) }()

	target, err := openSide(ctx, to)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, target.close()) }()

	if err := target.claim(ctx, source.base.Path); err != nil {
		return done, err
	}
	if done, err = transferRows(ctx, source.Side, target.Side, tell); err != nil {
		return done, failure(target.base.Path, "moving the database", err)
	}

	// From here on one of the two facts keeps a daemon away from the old one.
	if err := source.note(ctx, movedFact, target.base.Path); err != nil {
		return done, failure(source.base.Path, "moving the database", err)
	}
	if err := target.forget(ctx, movingFact); err != nil {
		return done, failure(target.base.Path, "moving the database", err)
	}

	return done, nil
}

// SetMovedAside renames a file of SQLite, if there is one, whose content was moved away.
func SetMovedAside(ctx context.Context, o Options) error {
	path, err := filepath.Abs(o.Path)
	if err != nil || !disk.Exists(path) {
		return err
	}
	moved, err := wasMoved(ctx, path)
	if err != nil || !moved {
		return err
	}

	aside := path + ".moved-" + o.clock().UTC().Format(engine.CopyTime)
	for _, ending := range []string{"-wal", "-shm", ""} {
		if err := disk.IgnoreMissing(os.Rename(path+ending, aside+ending)); err != nil {
			return failure(path, "moving the old database aside", err)
		}
	}

	return disk.IgnoreMissing(os.Remove(engine.ProgressPath(path))) // it is not the next one's
}

// wasMoved reports whether the content of a file was moved away.
func wasMoved(ctx context.Context, path string) (moved bool, err error) {
	pool, err := engine.Connect(engine.DSN(path, engine.DefaultBusyTimeout, engine.ReaderPragmas...), 1)
	if err != nil {
		return false, err
	}
	defer pool.Close()

	_, ours, err := engine.Contents(ctx, pool)
	if err == nil && ours {
		err = pool.QueryRowContext(ctx, `SELECT count(*) > 0 FROM facts WHERE name = ?`, movedFact).Scan(&moved)
	}
	if err != nil {
		return false, failure(path, "looking at the database", err)
	}
	return moved, nil
}

// openedSide is a side that is open as a store too, so that no daemon takes it.
type openedSide struct {
	engine.Side
	*Store
}

func openSide(ctx context.Context, o Options) (*openedSide, error) {
	s, err := open(ctx, o, tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime, moves: true})
	if err != nil {
		return nil, err
	}

	var pool *sql.DB
	if o.URL == "" {
		pool, err = engine.Connect(engine.DSN(s.base.Path, engine.DefaultBusyTimeout, "foreign_keys(0)", "synchronous(FULL)"), 1)
	} else if config, bad := readURL(o.URL); bad == nil {
		pool = engine.PostgresWriter(config)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}

	return &openedSide{engine.Side{SQL: s.base.SQL, Rows: pool, Pool: pool}, s}, nil
}

func (s *openedSide) close() error { return errors.Join(s.Pool.Close(), s.Close()) }

// claim marks an empty database, or one that holds a part of the same source, as being filled.
func (s *openedSide) claim(ctx context.Context, source string) error {
	var rows int64
	var was sql.NullString
	err := s.Pool.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM agents) + (SELECT count(*) FROM events),
		(SELECT value FROM facts WHERE name = '`+movingFact+`')`).Scan(&rows, &was)
	if err != nil {
		return failure(s.base.Path, "looking at the database", err)
	}

	if was.String == source {
		return nil
	}
	if rows > 0 || was.Valid {
		return parley.Errorf(parley.InvalidArgument, "the database %s is not empty", s.base.Path).With("database", s.base.Path).
			Suggest("Move to an empty one. Nothing was changed.")
	}
	if err := s.note(ctx, movingFact, source); err != nil {
		return failure(s.base.Path, "marking the database", err)
	}

	return nil
}

// note stores a fact.
func (s *openedSide) note(ctx context.Context, name, value string) error {
	_, err := s.Pool.ExecContext(ctx, s.base.SQL.Bound(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`), name, value)
	return err
}

func (s *openedSide) forget(ctx context.Context, name string) error {
	_, err := s.Pool.ExecContext(ctx, s.base.SQL.Bound(`DELETE FROM facts WHERE name = ?`), name)
	return err
}

// refuseMoved refuses a database that holds a part of another, or what was moved away.
func refuseMoved(ctx context.Context, db *database) error {
	var found []struct{ Name, Value string }
	err := db.read(ctx, "looking at the database", &found,
		`SELECT name, value FROM facts WHERE name IN (?, ?) ORDER BY name DESC`, movingFact, movedFact)
	if err != nil || len(found) == 0 || db.tuning.moves {
		return err
	}

	f := found[0]
	if f.Name == movingFact {
		return parley.Errorf(parley.StorageUnavailable, "the database %s was not moved whole from %s", db.base.Path,
			f.Value).
			With("database", db.base.Path).
			Suggest("Run parley move-database again: it goes on where it ended.")
	}

	return parley.Errorf(parley.StorageUnavailable, "what the database %s held was moved to %s", db.base.Path, f.Value).
		With("database", db.base.Path).With("moved_to", f.Value).
		Suggest("Set database in parley.yaml to that one, or take it out if that is a file.")
}

// transferRows copies the rows of all tables, makes the index of words, and compares.
func transferRows(ctx context.Context, from, to engine.Side, tell func(string, int64)) (done Moved, err error) {
	for _, t := range engine.CopiedOf(tables) {
		if err := t.Copy(ctx, from, to); err != nil {
			return done, fmt.Errorf("copy the table %s: %w", t.Name, err)
		}

		want, n, err := t.Sum(ctx, from)
		if err != nil {
			return done, fmt.Errorf("read the table %s: %w", t.Name, err)
		}
		got, has, err := t.Sum(ctx, to)
		if err != nil {
			return done, fmt.Errorf("read the table %s again: %w", t.Name, err)
		}
		if got != want {
			return done, parley.Errorf(parley.StorageUnavailable,
				"the table %s differs after the move: %d rows became %d", t.Name, n, has).With("table", t.Name).
				Suggest("Was the first database used since an interrupted move? Then move to an empty one.")
		}

		done.Rows += n
		if t.Name == "messages" {
			done.Messages = n
		}
		tell(t.Name, n)
	}

	return done, complete(ctx, from, to)
}

// complete makes what is not copied: the index of words, and the next numbers.
func complete(ctx context.Context, from, to engine.Side) error {
	tx, err := to.Pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	if _, err := tx.ExecContext(ctx, wordsOf(to.SQL).clear); err != nil {
		return err
	}
	if err := fillWords(ctx, tx, to.SQL); err != nil {
		return err
	}

	var last int64
	if err := from.Rows.QueryRowContext(ctx, from.SQL.LastEvent).Scan(&last); err != nil {
		return err
	}
	for _, statement := range to.SQL.Continues(tables) {
		if _, err := tx.ExecContext(ctx, strings.ReplaceAll(statement, "LAST", fmt.Sprint(last))); err != nil {
			return err
		}
	}

	return tx.Commit()
}
