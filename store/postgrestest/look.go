package postgrestest

import (
	"context"
	"database/sql"
	"errors"
)

// Look returns the first column of what a query finds, in its order.
func Look[T any](ctx context.Context, url, query string, args ...any) (found []T, err error) {
	pool, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()

	rows, err := pool.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		found = append(found, v)
	}

	return found, rows.Err()
}

// Create makes an empty database of a name, and returns its URL.
func (s *Server) Create(name string) (url string, err error) {
	return s.URL(name), s.create(name, "template0")
}

// Do runs statements in a database.
func Do(url string, statements ...string) error { return run(url, statements...) }
