package engine

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
)

// Foreign is the SQLite database of another program, opened for reading alone. It never writes to the
// file, and holds up no writer if that one uses a write-ahead log.
type Foreign struct{ pool *sql.DB }

// foreignPragmas keep us from writing, from waiting long, and from running functions that the file names.
const foreignPragmas = "&_pragma=busy_timeout(200)&_pragma=query_only(1)&_pragma=trusted_schema(0)"

// OpenForeign opens the database of another program. The file must exist.
func OpenForeign(ctx context.Context, path string) (*Foreign, error) {
	file := url.URL{Scheme: "file", OmitHost: true, Path: path}
	pool, err := sql.Open(driverName, file.String()+"?mode=ro"+foreignPragmas)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close() // the first error counts
		return nil, fmt.Errorf("open another program's database: %w", err)
	}
	return &Foreign{pool}, nil
}

// Each calls take for each row of a query, with the function that scans it.
func (f *Foreign) Each(ctx context.Context, take func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := f.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close closes the file.
func (f *Foreign) Close() error { return f.pool.Close() }
