// Package postgrestest runs PostgreSQL for tests: a server of the test process's own, which
// listens at a unix socket only and ends with that process, and databases on it.
package postgrestest

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Server is a running server.
type Server struct {
	dir  string // holds the data and the socket
	bin  string // holds the programs
	user *syscall.Credential
	lead *os.File // while this is open, the server lives
	more []string // settings

	other string // the URL of a database on a server that somebody else runs; nothing above then
}

// ErrMissing says that PostgreSQL's programs are not installed.
var ErrMissing = errors.New("PostgreSQL's programs (initdb, pg_ctl, postgres) are not installed")

// settings let many tests share one small server. Nothing is synced to the disk: a test crashes the server, and not
// the machine.
var settings = []string{
	"listen_addresses=", "fsync=off", "synchronous_commit=on", "max_connections=200", "shared_buffers=64MB",
	"autovacuum=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=2GB", "checkpoint_timeout=1h", "jit=off",
}

// watch ends the server and removes its directory when the test process is gone, however it ended.
const watch = `read -r _; "$1" -D "$2/data" -m immediate -s stop; rm -rf -- "${2:?}"`

// Start makes a server and starts it, with more settings of the form NAME=VALUE. It refuses to run as root, so
// then it runs as another user.
func Start(more ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}

	s := &Server{bin: bin, more: more}
	if s.user, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("/tmp", "pg"); err != nil { // short: a socket is in it
		return nil, err
	}
	if s.user != nil {
		if err := os.Chown(s.dir, int(s.user.Uid), int(s.user.Gid)); err != nil {
			return nil, err
		}
	}

	// Every word that is not the schema's concern is sorted as people do, not by bytes.
	err = s.run("initdb", "-D", s.data(), "-U", "parley", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--locale-provider=icu", "--icu-locale=en-US", "--no-sync", "--no-instructions")
	if err == nil {
		err = s.follow()
	}
	if err == nil {
		err = s.Up()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}

	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Up starts a server that was stopped.
func (s *Server) Up() error {
	options := "-c unix_socket_directories=" + s.dir
	for _, setting := range slices.Concat(settings, s.more) {
		options += " -c " + setting
	}
	return s.run("pg_ctl", "-D", s.data(), "-w", "-s", "-l", filepath.Join(s.dir, "log"), "-o", options, "start")
}

// Crash stops the server as if the machine had failed.
func (s *Server) Crash() error {
	return s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-s", "stop")
}

// URL names a database on the server.
func (s *Server) URL(database string) string {
	if s.other != "" {
		return named(s.other, database)
	}
	u := url.URL{Scheme: "postgres", User: url.User("parley"), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}

// Close ends the server. A server that is not closed ends with the process.
func (s *Server) Close() error { return s.lead.Close() }

// follow starts the watch.
func (s *Server) follow() error {
	end, lead, err := os.Pipe()
	if err != nil {
		return err
	}
	defer end.Close()

	cmd := s.command("sh", "-c", watch, "watch", filepath.Join(s.bin, "pg_ctl"), s.dir)
	cmd.Stdin, s.lead = end, lead
	cmd.SysProcAttr.Setpgid = true // Ctrl-C is not for it

	return cmd.Start()
}

func (s *Server) run(program string, args ...string) error {
	cmd := s.command(filepath.Join(s.bin, program), args...)
	said, err := os.CreateTemp("", "postgrestest-") // a pipe would wait for the server, which inherits it
	if err != nil {
		return err
	}
	defer os.Remove(said.Name())
	defer said.Close()

	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(text))
	}

	return nil
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	return cmd
}

// programs returns the directory of the newest version's programs, which Debian keeps out of PATH.
func programs() (string, error) {
	if found, err := exec.LookPath("pg_ctl"); err == nil {
		return filepath.Dir(found), nil
	}

	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl") // the pattern is right
	if len(dirs) == 0 {
		return "", ErrMissing
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}

	return filepath.Dir(slices.MaxFunc(dirs, func(a, b string) int { return version(a) - version(b) })), nil
}

// unprivileged returns the user as whom a server runs that root starts, nil for the present one.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}

	var err error
	for _, name := range []string{"postgres", "nobody"} {
		var u *user.User
		if u, err = user.Lookup(name); err != nil {
			continue
		}
		uid, bad := strconv.ParseUint(u.Uid, 10, 32)
		gid, worse := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(bad, worse)
	}

	return nil, err
}
