package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"parley"
	"parley/internal/disk"
	"parley/store/engine"
)

// Moved says what a move has copied.
type Moved struct {
	Rows, Messages int64
}

// Move copies all that one database holds to another, which must be empty. When it is interrupted, that is empty again.
// No daemon may use either of them. The first is kept, but no daemon takes it any more. Tell is called with each table.
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

	if err := target.empty(ctx); err != nil {
		return done, err
	}
	t := transferOf(source.Side, target.Side)
	err = t.Run(ctx, func(table string, rows int64) {
		done.Rows += rows
		if table == messagesTable.Name {
			done.Messages = rows
		}
		tell(table, rows)
	})
	if err != nil {
		return done, failure(target.store.db.base.Path, "moving the database", err)
	}

	if err := source.SetFact(ctx, movedFact, target.store.db.base.Path); err != nil {
		return done, failure(source.store.db.base.Path, "moving the database", err)
	}
	return done, nil
}

// SetMovedAside renames a file of SQLite, if there is one, whose content was moved away.
func SetMovedAside(ctx context.Context, o Options) error {
	path, err := filepath.Abs(o.Path)
	if err != nil || !disk.Exists(path) {
		return err
	}
	moved, err := engine.HasFact(ctx, path, movedFact)
	if err != nil {
		return failure(path, "looking at the database", err)
	}
	if !moved {
		return nil
	}
	if err := engine.SetAside(path, ".moved-", o.clock()); err != nil {
		return failure(path, "moving the old database aside", err)
	}
	return disk.IgnoreMissing(os.Remove(engine.ProgressPath(path))) // it is not the next one's
}

// openedSide is a side that is open as a store too, so that no daemon takes it.
type openedSide struct {
	engine.Side
	store *Store
}

func openSide(ctx context.Context, o Options) (*openedSide, error) {
	s, err := open(ctx, o, tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime, moves: true})
	if err != nil {
		return nil, err
	}

	var pool *sql.DB
	if o.URL == "" {
		dsn := engine.DSN(s.db.base.Path, engine.DefaultBusyTimeout, "foreign_keys(0)", "synchronous(FULL)")
		pool, err = engine.Connect(dsn, 1)
	} else if config, bad := readURL(o.URL); bad == nil {
		pool = engine.PostgresWriter(config)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}

	return &openedSide{engine.Side{SQL: s.db.base.SQL, Rows: pool, Pool: pool}, s}, nil
}

func (s *openedSide) close() error { return errors.Join(s.Pool.Close(), s.store.Close()) }

// empty refuses a database that holds something.
func (s *openedSide) empty(ctx context.Context) error {
	var rows int64
	err := s.Pool.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM agents) + (SELECT count(*) FROM events)`).Scan(&rows)
	if err != nil {
		return failure(s.store.db.base.Path, "looking at the database", err)
	}
	if rows > 0 {
		return parley.Errorf(parley.InvalidArgument, "the database %s is not empty", s.store.db.base.Path).
			With("database", s.store.db.base.Path).
			Suggest("Move to an empty one. Nothing was changed.")
	}
	return nil
}

// refuseMoved refuses a database whose content was moved away.
func (x opening) refuseMoved(ctx context.Context) error {
	var to []string
	err := x.db.read(ctx, "looking at the database", &to, `SELECT value FROM facts WHERE name = ?`, movedFact)
	if err != nil || len(to) == 0 || x.tuning.moves {
		return err
	}
	return parley.Errorf(parley.StorageUnavailable, "what the database %s held was moved to %s", x.db.base.Path,
		to[0]).
		With("database", x.db.base.Path).With("moved_to", to[0]).
		Suggest("Set database in parley.yaml to that one, or take it out if that is a file.")
}

// transferOf copies all rows of one database to another, and makes the index of words.
func transferOf(from, to engine.Side) engine.Transfer {
	return engine.Transfer{From: from, To: to, Tables: tables, Finish: func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, wordsOf(to.SQL).clear); err != nil {
			return err
		}
		return fillWords(ctx, tx, to.SQL)
	}}
}
