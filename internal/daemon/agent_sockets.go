package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley"
	"parley/internal/place"
	"parley/orchestrator/ports"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/program/profile"
	"parley/program/sandbox"
)

// agentSockets are the sockets of launched agents. Who calls by one is its agent, without a question: in a sandbox no
// other socket can be reached. It is a net.Listener of the connections to all of them. Safe for concurrent use.
type agentSockets struct {
	dir  string // of their directories
	info func() Info

	mu        sync.Mutex
	open      map[string]*net.UnixListener // by the agent's id
	closed    bool
	accepting sync.WaitGroup
	accepted  chan net.Conn
	ended     chan struct{}
}

// agentConn is a connection to an agent's own socket.
type agentConn struct {
	*net.UnixConn
	agentID string
}

func newAgentSockets(at place.Place, info func() Info) *agentSockets {
	dir := filepath.Join(at.Home, "own")
	if len(filepath.Join(dir, team.NewID(), terminal.SocketName)) > place.MaxSocketPath {
		dir = filepath.Join("/tmp", "parley-"+strconv.Itoa(os.Getuid()), place.ShortHash(at.Home)+"-own")
	}
	return &agentSockets{
		dir: dir, info: info, open: map[string]*net.UnixListener{},
		accepted: make(chan net.Conn), ended: make(chan struct{}),
	}
}

// Open listens on the socket of an agent, whose directory it makes, and returns that. A program that was told the
// directory reaches a later daemon there too.
func (s *agentSockets) Open(agentID string) (dir string, err error) {
	dir = filepath.Join(s.dir, agentID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.open[agentID] != nil {
		return dir, nil
	}

	for _, d := range []string{s.dir, dir} {
		if err := place.PrivateDir(d); err != nil {
			return "", err
		}
	}
	// What an agent in a sandbox put in its place is not followed.
	path := filepath.Join(dir, terminal.SocketName)
	if err := os.RemoveAll(path); err != nil {
		return "", fmt.Errorf("remove the old socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return "", fmt.Errorf("listen on an agent's socket: %w", err)
	}
	if err := s.describe(dir, path); err != nil {
		return "", errors.Join(err, l.Close())
	}
	s.open[agentID] = l
	s.accepting.Go(func() { s.accept(l, agentID) })

	return dir, nil
}

// describe writes what a command behind the socket has to know of the daemon. What runs there can put links into the
// directory at any time, and none of them leads out of it.
func (s *agentSockets) describe(dir, path string) error {
	info := s.info()
	info.Socket, info.HTTP, info.Withheld = path, "", ""
	text, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("encode the daemon's address: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the directory of an agent's socket: %w", err)
	}
	defer root.Close()

	const part = "address.part"
	if err := root.RemoveAll(part); err != nil {
		return fmt.Errorf("write the daemon's address: %w", err)
	}
	if err := root.WriteFile(part, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the daemon's address: %w", err)
	}
	return root.Rename(part, filepath.Base(place.Place{}.Info()))
}

// Beckon makes a file beside the socket of an agent, or removes it.
func (s *agentSockets) Beckon(agentID string, up bool) error {
	root, err := os.OpenRoot(filepath.Join(s.dir, agentID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has no socket of its own, and its program no hooks
	}
	if err != nil {
		return fmt.Errorf("open the directory of an agent's socket: %w", err)
	}
	defer root.Close()

	const name = terminal.SocketName + profile.UrgentSuffix
	if up {
		err = root.WriteFile(name, nil, 0o600)
	} else if err = root.RemoveAll(name); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("say to its hooks that a message waits: %w", err)
	}
	return nil
}

// InSandbox reports whether this process runs in the sandbox of an agent. There its own socket alone leads out, and no
// daemon can be started.
func InSandbox() bool { return sandbox.Inside() }

// SandboxUsable returns why agents cannot be launched in a sandbox here, nil if they can.
func SandboxUsable(ctx context.Context) error { return sandbox.Usable(ctx) }

// OwnDaemon returns the daemon behind an agent's own socket.
func OwnDaemon(socket string) (*Info, error) {
	dir := filepath.Dir(socket)
	info, err := readInfo(place.Place{Home: dir, Runtime: dir}, socket)
	if err != nil {
		return nil, parley.Errorf(parley.DaemonUnavailable, "the daemon does not answer at %s", socket).
			Suggest("It is started outside of the sandbox: parley serve, in the workspace.")
	}
	return info, nil
}

// OwnSpool returns the file for reports that find no daemon, beside an agent's own socket.
func OwnSpool(socket string) string { return filepath.Join(filepath.Dir(socket), place.SpoolFile) }

// acceptAgain is the pause after a connection that could not be accepted.
const acceptAgain = 100 * time.Millisecond

func (s *agentSockets) accept(l *net.UnixListener, agentID string) {
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as for want of descriptors
			select {
			case <-time.After(acceptAgain):
				continue
			case <-s.ended:
				return
			}
		}
		select {
		case s.accepted <- agentConn{conn, agentID}:
		case <-s.ended:
			_ = conn.Close()
			return
		}
	}
}

// Remove ends the socket of an agent that has ended.
func (s *agentSockets) Remove(agentID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.open[agentID]; l != nil {
		_ = l.Close()
		delete(s.open, agentID)
	}
	dir := filepath.Join(s.dir, agentID)
	if os.RemoveAll(dir) != nil { // its program has locked a directory there
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o700)
			}
			return nil
		})
	}
	return os.RemoveAll(dir)
}

// Spools returns the files with reports that found no daemon.
func (s *agentSockets) Spools() []string {
	files, _ := filepath.Glob(filepath.Join(place.GlobQuote(s.dir), "*", place.SpoolFile)) // the pattern is sound
	return files
}

// Accept implements net.Listener.
func (s *agentSockets) Accept() (net.Conn, error) {
	select {
	case conn := <-s.accepted:
		return conn, nil
	case <-s.ended:
		return nil, net.ErrClosed
	}
}

// Addr implements net.Listener.
func (s *agentSockets) Addr() net.Addr { return &net.UnixAddr{Name: s.dir, Net: "unix"} }

// Close implements net.Listener. The directories stay: programs hold them.
func (s *agentSockets) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.ended)
	for _, l := range s.open {
		_ = l.Close()
	}
	s.mu.Unlock()
	s.accepting.Wait()
	return nil
}

// boundary returns what lies between the agents and what is the user's.
func (d *daemon) boundary() terminal.Boundary {
	return terminal.Boundary{
		Sockets: d.own, Home: d.Env.Get("HOME"), Ports: reservedPorts(d.Place.Home),
		Hidden: []string{filepath.Dir(d.Place.Home), d.Place.Runtime, d.own.dir},
	}
}

// mayRegister is sameUser, but not for what runs in a sandbox: that has its own socket, and gets nothing by another.
func mayRegister(r *http.Request) bool {
	end, ok := r.Context().Value(farEndKey{}).(*farEnd)
	if ok && slices.ContainsFunc(end.callers(), func(c parley.Caller) bool { return c.Sandboxed }) {
		return false
	}
	return sameUser(r)
}

type ownerKey struct{}

// owner is the agent whose own socket a connection came by.
type owner struct {
	who callers
	id  string
}

// ownerOf returns the agent whose own socket a request came by, nobody if it is gone; ok is false for any other
// connection.
func ownerOf(ctx context.Context) (caller parley.Caller, ok bool) {
	o, ok := ctx.Value(ownerKey{}).(owner)
	if ok {
		caller = o.who.CallerByID(o.id)
	}
	return caller, ok
}

// reservedPorts returns the user's list of reserved ports, as the workspace with a home sees it. A workspace that was
// moved is the same.
func reservedPorts(own string) *ports.Registry {
	return &ports.Registry{Path: filepath.Join(filepath.Dir(own), "ports"), Owner: own, Gone: place.IsGone}
}
