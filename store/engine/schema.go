package engine

import (
	"context"
	"database/sql"
	"errors"
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
