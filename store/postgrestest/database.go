package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// ServerVar names another server for the tests, by the URL of a database of an owner of databases.
const ServerVar = "PARLEY_TEST_POSTGRES"

// shared is the server of this process; the first test that needs it starts it.
var shared = sync.OnceValues(func() (*Server, error) {
	if other := os.Getenv(ServerVar); other != "" {
		return &Server{other: other}, nil
	}
	return Start()
})

// Missing returns why no database can be had, "" if one can.
func Missing() string {
	if os.Getenv(ServerVar) != "" {
		return ""
	}
	if _, err := programs(); err != nil {
		return err.Error() + "; " + ServerVar + " can name a server: this ran without PostgreSQL"
	}
	return ""
}

// Databases gives each test a database to itself. To make one takes a quarter of a second, so the
// next test gets a database that the last one has left, without its rows.
type Databases struct {
	Prepare func(url string) error // makes the tables of the first one; the others are copies

	mu    sync.Mutex
	model string // the name of that first one, from which nobody reads
	made  int
	free  []string // URLs
}

// models counts those first ones, for their names.
var models atomic.Int64

// New returns the URL of an empty database, for as long as the test runs.
func (d *Databases) New(t testing.TB) string {
	t.Helper()
	if why := Missing(); why != "" {
		t.Skip(why)
	}

	db, err := d.take()
	if err != nil {
		t.Fatalf("making a database: %v", err)
	}
	t.Cleanup(func() {
		if err := empty(db); err != nil {
			t.Logf("a database is not used again: %v", err)
			return
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.free = append(d.free, db)
	})

	return db
}

func (d *Databases) take() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.free); n > 0 {
		db := d.free[n-1]
		d.free = d.free[:n-1]
		return db, nil
	}

	server, err := shared()
	if err != nil {
		return "", err
	}
	if d.model == "" {
		model := fmt.Sprintf("parley_test_%d_%d", os.Getpid(), models.Add(1))
		if err := server.create(model, "template0"); err != nil {
			return "", err
		}
		if err := d.Prepare(server.URL(model)); err != nil {
			return "", err
		}
		d.model = model
	}

	d.made++
	name := fmt.Sprintf("%s_%d", d.model, d.made)

	return server.URL(name), server.create(name, d.model)
}

// create makes a database that is a copy of another.
func (s *Server) create(name, model string) error {
	admin := s.URL("postgres")
	if s.other != "" {
		admin = s.other
	}
	return run(admin, `DROP DATABASE IF EXISTS `+name, `CREATE DATABASE `+name+` TEMPLATE `+model)
}

// named returns the URL of another database of the same server.
func named(admin, database string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin // what uses it will say so
	}
	u.Path = "/" + database
	return u.String()
}

// emptied removes all rows but those of the migrations, and the numbers begin again.
const emptied = `DO $$
DECLARE t text;
BEGIN
	SET LOCAL session_replication_role = replica;
	FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'goose%' LOOP
		EXECUTE format('DELETE FROM %I', t);
	END LOOP;
	FOR t IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND sequencename NOT LIKE 'goose%' LOOP
		EXECUTE format('ALTER SEQUENCE %I RESTART', t);
	END LOOP;
END $$`

func empty(db string) error { return run(db, emptied) }

func run(url string, statements ...string) (err error) {
	pool, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()

	for _, statement := range statements {
		if _, err := pool.ExecContext(context.Background(), statement); err != nil {
			return err
		}
	}

	return nil
}
