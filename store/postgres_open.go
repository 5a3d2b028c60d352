package store

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"parley"
	"parley/store/engine"
)

// readURL reads the URL of a database.
func readURL(url string) (*engine.ServerConfig, error) {
	config, err := engine.PostgresConfig(url)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument,
			"the setting database is not the URL of a PostgreSQL database").
			With("setting", "database").
			Suggest("Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE, with %%40 for an @ in the password.")
	}
	return config, nil
}

// CheckURL returns what is wrong with the URL of a database, nil for nothing.
func CheckURL(url string) error {
	_, err := readURL(url)
	return err
}

// PlaceOf names the database of a URL without the password.
func PlaceOf(text string) string {
	config, err := engine.PostgresConfig(text)
	if err != nil {
		return "PostgreSQL"
	}
	return engine.ServerPlace(config)
}

// useServer prepares for a database of PostgreSQL.
func useServer(db *database, path, url, host string) error {
	config, err := readURL(url)
	if err != nil {
		return err
	}

	s := &postgresSession{database: db, host: hostName(host), holder: holderOf(path)}
	db.path, db.sql, db.session, db.safety = engine.ServerPlace(config), &engine.Postgres, s, engine.NewSafety()
	db.backup, db.lease = db.backupServer, &engine.Lease{}
	db.host = s.host
	s.config = config
	db.doorbell.Prepare(s.host)
	db.open = func(ctx context.Context) error { return s.open(ctx, config) }

	return nil
}

// open opens the database: it makes the tables in an empty one, migrates an older one, and takes the
// workspace for this daemon.
func (s *postgresSession) open(ctx context.Context, config *engine.ServerConfig) error {
	db := s.database
	db.writerPool, db.readerPool = engine.PostgresWriter(config), engine.PostgresReaders(config)

	found, err := postgresContents(ctx, db.writerPool)
	if err != nil {
		return err
	}
	if found.tables > 0 && !found.ours {
		return notOurs(db.path)
	}
	if err := s.claim(ctx, found); err != nil {
		return err
	}

	if db.writer, err = db.sql.Over(&s.rows); err != nil {
		return err
	}
	readers := &engine.PostgresRows{ConnPool: db.readerPool, Outage: &db.outage}
	if db.reader, err = db.sql.Over(readers); err != nil {
		return err
	}

	if err := comparePostgres(ctx, db); err != nil {
		return err
	}
	return s.meet(ctx)
}

// comparePostgres reads how far the database is.
func comparePostgres(ctx context.Context, db *database) error {
	var last int64
	err := db.writerPool.QueryRowContext(ctx, engine.Postgres.LastEvent).Scan(&last)
	db.events.Begin(last)
	return err
}

// meet reads which hosts there are.
func (s *postgresSession) meet(ctx context.Context) error {
	var id string
	var rows []hostRow
	err := s.reading(ctx).Query(&id, `SELECT id FROM workspace`)
	if err == nil {
		err = s.reading(ctx).Query(&rows, hostsQuery)
	}
	if err != nil {
		return err
	}

	s.hosts.Store(teamOf(s.host, rows))
	s.followed.last, s.doorbell.Channel = s.events.Last(), engine.ChannelOf(id)

	return nil
}

// foundTables is what a database holds before it is opened.
type foundTables struct {
	tables int
	ours   bool // it has the table of migrations
	hosts  bool // it has the table of hosts
}

func postgresContents(ctx context.Context, pool *sql.DB) (f foundTables, err error) {
	err = pool.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE tablename = 'goose_db_version') > 0,
		count(*) FILTER (WHERE tablename = 'hosts') > 0
		FROM pg_tables WHERE schemaname = current_schema()`).
		Scan(&f.tables, &f.ours, &f.hosts)
	return f, err
}

// hostName returns the name of this machine as a host, unless another one is given.
func hostName(given string) string {
	if given != "" {
		return given
	}
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	return cmp.Or(name, "localhost")
}

// holderOf names a daemon by its machine and its state directory.
func holderOf(path string) string { return hostName("") + ":" + path }
