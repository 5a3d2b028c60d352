package store

import (
	"context"
	"database/sql"

	"parley/store/engine"
)

// inspectServer looks at a database of PostgreSQL: whether it can be reached, is one of parley's or
// empty, and how large it is. Its pages are the server's concern.
func inspectServer(ctx context.Context, url string) (h Health, err error) {
	config, err := readURL(url)
	if err != nil {
		return h, err
	}
	place, pool := engine.ServerPlace(config), engine.PostgresReaders(config)
	defer pool.Close()

	if err := h.readServer(ctx, pool, place); err != nil {
		return h, failure(place, "reading the database", err)
	}

	return h, nil
}

func (h *Health) readServer(ctx context.Context, pool *sql.DB, place string) error {
	found, err := postgresContents(ctx, pool)
	if err != nil {
		return err
	}
	if found.tables > 0 && !found.ours {
		return notOurs(place)
	}

	h.Place, h.Known = place, newestVersion
	if err := pool.QueryRowContext(ctx, `SELECT pg_database_size(current_database())`).Scan(&h.Size); err != nil {
		return err
	}
	if !found.ours {
		return nil
	}

	if err := pool.QueryRowContext(ctx, engine.VersionQuery).Scan(&h.Version); err != nil {
		return err
	}
	if schema.TooOld(h.Version) {
		return tooOld(place, h.Version)
	}

	return nil
}
