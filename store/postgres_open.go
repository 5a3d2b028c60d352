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

// useServer prepares for a database of PostgreSQL, and returns what opens it.
func (db opening) useServer(path, url, host string) (open func(context.Context) error, err error) {
	config, err := readURL(url)
	if err != nil {
		return nil, err
	}

	s := engine.NewServerSession(db.base, config, hostName(host))
	s.Holder, s.Version, s.Team = holderOf(path), newestVersion, &db.hosts
	db.base.Session, db.hosts.own = s, db.base.Host
	db.backup = db.backupServer

	return func(ctx context.Context) error { return db.openServer(ctx, s) }, nil
}

// openServer opens the database: it makes the tables in an empty one, migrates an older one, and takes the
// workspace for this daemon.
func (db opening) openServer(ctx context.Context, s *engine.ServerSession) error {
	if err := s.Connect(); err != nil {
		return err
	}
	found, err := postgresContents(ctx, s.WriterPool)
	if err != nil {
		return err
	}
	if found.tables > 0 && !found.ours {
		return notOurs(s.Path)
	}
	if err := db.claim(ctx, s, found); err != nil {
		return err
	}
	return s.Meet(ctx)
}

// claim makes this daemon the host, and migrates the database. No other daemon is at work while the
// schema changes.
func (db opening) claim(ctx context.Context, s *engine.ServerSession, found foundTables) error {
	m, err := db.migrator()
	if err != nil {
		return err
	}
	have, want, err := m.Versions(ctx)
	if err != nil {
		return err
	}
	if have > want || schema.TooOld(have) {
		return db.migrate(ctx, m) // which refuses it
	}

	if found.hosts {
		err = s.Take(ctx, have < want || db.tuning.moves)
	}
	if err == nil {
		err = db.migrate(ctx, m)
	}
	if err == nil && !found.hosts {
		err = s.Take(ctx, db.tuning.moves)
	}

	return err
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
