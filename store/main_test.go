package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/must"
	"parley/store/postgrestest"
)

// childVar makes the test binary a program that a test starts. Its value is the job; the
// database is in another variable.
const childVar = "PARLEY_STORE_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childVar); job != "" {
		if err := child(job, os.Getenv(childVar+"_DB")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}

	os.Setenv("GOTMPDIR", must.Memory()) // for t.TempDir
	server := func() error { return nil }
	if onPostgres = os.Getenv(serverVar) != ""; !onPostgres && postgrestest.Missing() == "" {
		server = testOnServer()
	}
	code := m.Run()
	if err := server(); err != nil {
		fmt.Fprintln(os.Stderr, "on PostgreSQL:", err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// onPostgres says which database the tests of this process run on: those on SQLite mostly wait, so another process runs
// them on PostgreSQL meanwhile.
var onPostgres bool

// serverVar makes the test binary run the tests on PostgreSQL.
const serverVar = "PARLEY_STORE_SERVER"

// testOnServer begins to run the same tests on PostgreSQL, without benchmarks and the files that a run writes, and
// returns what waits for the end and prints what they said.
func testOnServer() (wait func() error) {
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return name == "test.bench" || name == "test.testlogfile" || strings.HasSuffix(name, "profile")
	})
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), serverVar+"=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	started := cmd.Start()
	return func() error {
		if started != nil {
			return started
		}
		err := cmd.Wait()
		fmt.Printf("on PostgreSQL:\n%s", said.Bytes())
		return err
	}
}

func TestPostgreSQLIsTested(t *testing.T) {
	if why := postgrestest.Missing(); why != "" {
		t.Skip(why)
	}
}

// databases are those of the tests on PostgreSQL.
var databases = postgrestest.Databases{Prepare: func(url string) error {
	s, err := Open(context.Background(), Options{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}}

// urls holds, by the path that stands for it, the database of each test that runs on PostgreSQL.
var urls sync.Map

// at returns the options of the database at a path.
func at(t testing.TB, path string) Options {
	t.Helper()
	if !onPostgres {
		return Options{Path: path}
	}

	url, known := urls.Load(path)
	if !known {
		url = databases.New(t)
		urls.Store(path, url)
	}

	return Options{Path: path, URL: url.(string)}
}

// needsFile skips what is only about the files of SQLite.
func needsFile(t testing.TB) {
	t.Helper()
	if onPostgres {
		t.Skip("it concerns SQLite")
	}
}

func child(job, path string) error {
	if job == "record" {
		return serveRecorded(path)
	}

	ctx := context.Background()
	if job == "upgrade" {
		return upgrade(ctx, path, os.Getenv(childVar+"_URL"))
	}
	s, err := Open(ctx, Options{Path: path, URL: os.Getenv(childVar + "_URL")})
	if err != nil {
		return err
	}

	switch job {
	case "append":
		return appendForever(ctx, s)
	case "quiet":
		if err := s.Agents.CreateAgent(ctx, testAgent(1), nil); err != nil {
			return err
		}
		if err := s.Agents.CreateAgent(ctx, testAgent(1), nil); parley.ErrorCode(err) != parley.AgentExists {
			return fmt.Errorf("a second agent of that name: %v", err)
		}
		if _, err := s.Messages.Append(ctx, post(2, 1)); parley.ErrorCode(err) != parley.AgentNotFound {
			return fmt.Errorf("a message of an unknown agent: %v", err)
		}
	}

	return s.Close()
}

// appendForever stores messages from four senders at a time, and prints the ID of each
// when it is acknowledged.
func appendForever(ctx context.Context, s *Store) error {
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				done, err := s.Messages.Append(ctx, post(0, 1))
				if err != nil {
					failed <- err
					return
				}
				fmt.Println(done.Message.ID)
			}
		}()
	}

	return <-failed
}
