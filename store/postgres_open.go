package store

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"strings"

	"parley"
	"parley/store/engine"
)

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
func (x opening) useServer(path, url, host string) (open func(context.Context) error, err error) {
	config, err := readURL(url)
	if err != nil {
		return nil, err
	}

	s := engine.NewServerSession(x.db.base, config, hostName(host))
	s.Holder, s.Version, s.Team = holderOf(path), newestVersion, &x.db.hosts
	x.db.base.Session, x.db.hosts.own = s, x.db.base.Host
	x.db.backup = x.db.backupServer

	return func(ctx context.Context) error { return x.openServer(ctx, s) }, nil
}

// openServer opens the database: it makes the tables in an empty one, migrates an older one, and takes the
// workspace for this daemon.
func (x opening) openServer(ctx context.Context, s *engine.ServerSession) error {
	if err := s.Connect(); err != nil {
		return err
	}
	found, err := postgresContents(ctx, s.Base.WriterPool)
	if err != nil {
		return err
	}
	if found.tables > 0 && !found.ours {
		return notOurs(s.Base.Path)
	}
	if err := x.claim(ctx, s, found); err != nil {
		return err
	}
	return s.Meet(ctx)
}

// claim makes this daemon the host, and migrates the database. No other daemon is at work while the
// schema changes.
func (x opening) claim(ctx context.Context, s *engine.ServerSession, found foundTables) error {
	m, err := x.migrator()
	if err != nil {
		return err
	}
	have, want, err := m.Versions(ctx)
	if err != nil {
		return err
	}
	if have > want || schema.TooOld(have) {
		return x.migrate(ctx, m) // which refuses it
	}

	if found.hosts {
		err = s.Take(ctx, have < want || x.tuning.moves)
	}
	if err == nil {
		err = x.migrate(ctx, m)
	}
	if err == nil && !found.hosts {
		err = s.Take(ctx, x.tuning.moves)
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

// Whom a transaction concerns is told with the ring of the doorbell. What only takes messages to terminals along
// concerns the hosts of these terminals, and hosts where somebody waits for events. The others take it when they
// look next, or before they write themselves. All else concerns all.

// mostConcerned is how many recipients are looked up. A ring has room for 8000 bytes.
const mostConcerned = 100

// concerned returns the recipients whose hosts the transaction concerns, nil for all hosts.
func concerned(t *tx) []string {
	ids := map[string]bool{}
	for _, e := range eventsTable.Added(t) {
		switch e.Type {
		case parley.EventDelivery:
			ids[e.RecipientID] = true
		case parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage:
		default:
			return nil
		}
	}
	for _, d := range deliveriesTable.Added(t) {
		ids[d.RecipientID] = true
	}
	if len(ids) > mostConcerned {
		return nil
	}

	var all []string
	for id := range ids {
		all = append(all, id)
	}
	return all
}

// ringOf returns what the doorbell says, in SQL, and its parameter.
func ringOf(t *tx) (text string, args []any) {
	ids := concerned(t)
	if len(ids) == 0 {
		return `''`, nil
	}
	// What has no terminal concerns a host where somebody waits for it, which takes all at once.
	return `coalesce((SELECT CASE WHEN bool_and(kind <> 'terminal' OR host <> '') AND sum(length(host) + 1) < 7000
		THEN chr(10) || coalesce(string_agg(DISTINCT host, chr(10)) FILTER (WHERE kind = 'terminal'), '') || chr(10) END
		FROM agents WHERE id = ANY(string_to_array(?, ','))), '')`, []any{strings.Join(ids, ",")}
}
