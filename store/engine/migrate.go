package engine

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"
)

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
