package engine

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Schema says what a database is that the program can use.
type Schema struct {
	Numbered string // the table whose rows are numbered in the order of acceptance
	First    int64  // the oldest version from which migrations go on
	Newest   int64  // the version that needs none
}

// TooOld reports whether no migration goes on from a version. An empty database has version 0.
func (s Schema) TooOld(version int64) bool { return 0 < version && version < s.First }

// ProgressOf reads how far a database is.
func (s Schema) ProgressOf(ctx context.Context, db *sql.DB) (p Progress, err error) {
	if p.Event, err = LastEvent(ctx, db); err != nil {
		return p, err
	}
	err = db.QueryRowContext(ctx, LastNumber(s.Numbered)).Scan(&p.Row)
	return p, err
}

// ProgressOfCopy returns how far a copy is.
func (s Schema) ProgressOfCopy(ctx context.Context, path string) (p Progress, err error) {
	pool, err := OpenCopy(path)
	if err != nil {
		return p, err
	}
	defer pool.Close()

	return s.ProgressOf(ctx, pool)
}

// ExamineCopy reads every page of a copy, and returns how far it is. It refuses one that cannot be opened for writing.
func (s Schema) ExamineCopy(ctx context.Context, path string) (p Progress, err error) {
	pool, err := OpenCopy(path)
	if err != nil {
		return p, err
	}
	defer pool.Close()

	_, ours, err := Contents(ctx, pool)
	if err != nil {
		return p, err
	}
	if !ours {
		return p, &ForeignError{path}
	}
	var version int64
	if err := pool.QueryRowContext(ctx, VersionQuery).Scan(&version); err != nil {
		return p, err
	}
	if s.TooOld(version) {
		return p, &TooOldError{path, version}
	}

	verdict, err := CheckAll(ctx, pool)
	if err != nil {
		return p, err
	}
	if verdict != "" {
		return p, errors.New(verdict)
	}

	return s.ProgressOf(ctx, pool)
}

// WholeCopy returns what refuses a copy that is not whole.
func (s Schema) WholeCopy(ctx context.Context) func(path string) error {
	return func(path string) error {
		_, err := s.ExamineCopy(ctx, path)
		return err
	}
}

// NewestGood returns the newest copy that is whole, and how far it is. It is nil if there is none.
func (s Schema) NewestGood(ctx context.Context, r Copies) (*Copy, Progress) {
	list, _ := r.List() // what cannot be listed cannot be used
	for i := range list {
		if p, err := s.ExamineCopy(ctx, list[i].Path); err == nil {
			return &list[i], p
		}
	}
	return nil, Progress{}
}

// VersionQuery selects the version of a database.
const VersionQuery = `SELECT coalesce(max(version_id), 0) FROM ` + goose.DefaultTablename + ` WHERE is_applied`

// Migrations bring a database up to its newest version.
type Migrations struct{ provider *goose.Provider }

// Migrations returns those of a database. Each of the files is one step, and begins with its number.
func (d *Dialect) Migrations(pool *sql.DB, files fs.FS) (*Migrations, error) {
	provider, err := goose.NewProvider(d.goose, pool, files, goose.WithLogger(goose.NopLogger()),
		goose.WithDisableGlobalRegistry(true))
	return &Migrations{provider}, err
}

// Versions returns the version that the database has, 0 for an empty one, and the newest.
func (m *Migrations) Versions(ctx context.Context) (have, want int64, err error) {
	return m.provider.GetVersions(ctx)
}

// Up makes the steps that the database lacks, each in a transaction.
func (m *Migrations) Up(ctx context.Context) error {
	_, err := m.provider.Up(ctx)
	return err
}

// StepNumbers returns the numbers of the steps in some files, in their order.
func StepNumbers(files fs.FS) (numbers []int64, err error) {
	names, err := fs.Glob(files, "*.sql")
	for _, name := range names {
		number, bad := goose.NumericComponent(name)
		numbers, err = append(numbers, number), errors.Join(err, bad)
	}
	return numbers, err
}
