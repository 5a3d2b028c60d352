package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// hubSession keeps the server alive and gives the control client a place to be
// attached to. It is never listed.
const hubSession = "_hub"

// Backoff between attempts to connect. new-session right after kill-server on the
// same socket can fail, so the first retry is soon; but not at once: tmux up to 3.6a
// at least (issue 4980; seen on 3.3a) crashes when it has something to notify, such as
// the end of our last client, while a control client is half attached.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// handshakeTime bounds one attempt to connect; a cold start takes 16-51 ms.
const handshakeTime = 10 * time.Second

// Options says which tmux server to use, and how.
type Options struct {
	Binary string // default "tmux"
	Name   string // socket name (-L), or
	Path   string // socket path (-S); exactly one of the two

	// Join uses a server that is already there and somebody else's: nothing is
	// started, no client is attached, no session is made, no option is set but ours
	// on a pane. Each command is a process; Notify is told nothing.
	Join bool

	Env    []string           // environment of a server that is started; nil: this process's. TMUX and TMUX_PANE are removed
	Dir    string             // where message texts wait for tmux; default $XDG_RUNTIME_DIR, /dev/shm, os.TempDir()
	Notify func(Notification) // called from the reader: must not block; nil allowed
}

// Kind says what a Notification is about.
type Kind string

// The kinds of Notification.
const (
	Connected    Kind = "connected"    // commands work (again); Instance tells whether the server is a new one
	Disconnected Kind = "disconnected" // the client or the server died; Err says what was seen
	ModeChanged  Kind = "mode"         // Pane entered or left a mode, such as copy mode
	WindowsMoved Kind = "windows"      // windows or sessions opened, closed or were renamed
	ClientsMoved Kind = "clients"      // a terminal was attached, detached or changed its session
)

// Notification is something that the server told without being asked. A pane that
// dies, a title, and output are not among them: tmux does not tell.
type Notification struct {
	Kind     Kind
	Pane     string // ModeChanged: %N
	Instance string // Connected: the server now connected
	Text     string // tmux's own line, if it was one
	Err      error  // Disconnected
}

// Server is one tmux server. It is safe for concurrent use; commands of different
// goroutines are pipelined over one connection and do not wait for each other.
type Server struct {
	opts    Options
	env     []string
	bodies  *bodies
	visitor *visitor // with Join
	stop    context.CancelFunc
	stopped chan struct{} // closed when the supervisor is done

	mu    sync.Mutex
	conn  *conn         // nil while disconnected
	up    chan struct{} // closed while connected
	facts facts         // of the server last connected to
	last  error         // why the last attempt to connect failed
	ended bool          // Close or Shutdown was called
}

// facts are what a server says of itself.
type facts struct {
	pid      int
	instance string
	path     string
	version  Version
}

// Open connects to the server that opts names; without Join it starts the server
// when there is none, sets its options, and kills control clients that a dead
// daemon left on it. It retries until ctx ends, but for ErrNotInstalled, ErrTooOld,
// ErrInvalid, and with Join ErrNoServer. The caller closes the Server.
func Open(ctx context.Context, opts Options) (*Server, error) {
	if opts.Binary == "" {
		opts.Binary = "tmux"
	}
	if (opts.Name == "") == (opts.Path == "") {
		return nil, invalid("want a socket name or a socket path")
	}
	if _, err := CheckVersion(ctx, opts.Binary); err != nil {
		return nil, err
	}

	env := opts.Env
	if env == nil {
		env = os.Environ()
	}

	bodies, err := newBodies(opts.Dir)
	if err != nil {
		return nil, err
	}

	life, stop := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, env: withoutTmux(env), bodies: bodies,
		stop: stop, stopped: make(chan struct{}), up: make(chan struct{}),
	}

	if opts.Join {
		if err := openVisited(ctx, s); err != nil {
			stop()
			return nil, errors.Join(err, bodies.close())
		}
		return s, nil
	}

	conn, err := s.connectFirst(ctx)
	if err != nil {
		stop()
		return nil, errors.Join(err, bodies.close())
	}

	go s.supervise(life, conn)

	return s, nil
}

func withoutTmux(env []string) []string {
	var kept []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "TMUX=") && !strings.HasPrefix(kv, "TMUX_PANE=") {
			kept = append(kept, kv)
		}
	}
	return kept
}

func (s *Server) connectFirst(ctx context.Context) (*conn, error) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		c, err := s.connect(ctx, true)
		switch {
		case err == nil:
			return c, nil
		case errors.Is(err, ErrNotInstalled), errors.Is(err, ErrTooOld), errors.Is(err, ErrInvalid):
			return nil, err
		}
		if pause(ctx, wait) != nil {
			return nil, fmt.Errorf("connect to tmux: %w (last attempt: %w)", context.Cause(ctx), err)
		}
	}
}

// pause waits for d, or for the end of ctx, whose cause it then returns.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// supervise keeps a connection up until ctx ends.
func (s *Server) supervise(ctx context.Context, c *conn) {
	defer close(s.stopped)

	for c != nil {
		select {
		case <-ctx.Done():
			s.setDown(fmt.Errorf("%w", ErrClosed))
			c.close(ErrClosed)
			return
		case <-c.lost:
		}

		s.setDown(c.err)
		s.tell(Notification{Kind: Disconnected, Err: c.err})
		c.close(c.err)
		c = s.reconnect(ctx)
	}
}

// reconnect returns nil when ctx ends first.
func (s *Server) reconnect(ctx context.Context) *conn {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		if pause(ctx, wait) != nil {
			return nil
		}
		c, err := s.connect(ctx, false)
		if err == nil {
			return c
		}
		s.mu.Lock()
		s.last = err
		s.mu.Unlock()
	}
}

func (s *Server) setUp(c *conn, f facts) {
	s.mu.Lock()
	s.conn, s.facts, s.last = c, f, nil
	close(s.up)
	s.mu.Unlock()
	s.tell(Notification{Kind: Connected, Instance: f.instance})
}

func (s *Server) setDown(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = err
	if s.conn != nil {
		s.conn, s.up = nil, make(chan struct{})
	}
}

func (s *Server) tell(n Notification) {
	if s.opts.Notify != nil {
		s.opts.Notify(n)
	}
}

// onNotice translates a line that tmux sent by itself.
func (s *Server) onNotice(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "%pane-mode-changed":
		s.tell(Notification{Kind: ModeChanged, Pane: rest, Text: line})
	case "%sessions-changed", "%session-renamed", "%window-add", "%window-close", "%window-renamed",
		"%unlinked-window-add", "%unlinked-window-close", "%unlinked-window-renamed":
		s.tell(Notification{Kind: WindowsMoved, Text: line})
	case "%client-session-changed", "%client-detached":
		s.tell(Notification{Kind: ClientsMoved, Text: line})
	}
}

// connection waits for the connection to be up.
func (s *Server) connection(ctx context.Context) (*conn, error) {
	for {
		s.mu.Lock()
		c, up, ended := s.conn, s.up, s.ended
		s.mu.Unlock()
		if ended {
			return nil, ErrClosed
		}
		if c != nil {
			return c, nil
		}

		select {
		case <-up:
		case <-s.stopped:
			return nil, ErrClosed
		case <-ctx.Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			return nil, fmt.Errorf("wait for tmux: %w (last seen: %w)", context.Cause(ctx), s.last)
		}
	}
}

// do runs one line that ends itself with its token.
func (s *Server) do(ctx context.Context, compose func(token string) string) (reply, error) {
	if s.visitor != nil {
		return s.visit(ctx, compose)
	}
	c, err := s.connection(ctx)
	if err != nil {
		return reply{}, err
	}
	return c.do(ctx, compose)
}

// run runs commands as one line and returns the lines that they print.
func (s *Server) run(ctx context.Context, commands ...string) ([]string, error) {
	r, err := s.do(ctx, endWithToken(commands))
	return r.lines, err
}

func endWithToken(commands []string) func(string) string {
	return func(token string) string {
		return strings.Join(commands, " ; ") + " ; display-message -p " + token
	}
}

// Instance identifies the running server as "pid/start_time", "" while there is no
// connection; with Join it is the one that the last command reached. It changes when the server was restarted, and with it every pane id
// loses its meaning.
func (s *Server) Instance() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil && s.visitor == nil {
		return ""
	}
	return s.facts.instance
}

// SocketPath is the path of the socket of the server last connected to.
func (s *Server) SocketPath() string { return s.known().path }

// Version is that of the running server, which may be older than the binary.
func (s *Server) Version() Version { return s.known().version }

func (s *Server) known() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts
}

// Close ends the control client and waits for it, a second at most; the server
// and its sessions live on. Calls in flight fail with ErrClosed.
func (s *Server) Close() error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stop()
	<-s.stopped
	return s.bodies.close()
}

// Shutdown kills the server with every session, waits until it is gone, and closes
// the Server. A server that does not go within a few seconds of being asked is
// killed. When ctx ends first the server may be left; the Server is closed in any
// case. A joined server is not ours to kill: it is only let go.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.opts.Join {
		return s.Close()
	}
	f := s.known()
	s.askToEnd(ctx)
	err := errors.Join(s.Close(), endServer(ctx, s.opts.Binary, f))
	if err != nil {
		return fmt.Errorf("shut tmux down: %w", err)
	}
	return nil
}

// askToEnd returns when the connection is lost, which is what the server does to it.
func (s *Server) askToEnd(ctx context.Context) {
	s.mu.Lock()
	c := s.conn
	s.ended = true // nothing new, and no new server
	s.mu.Unlock()
	if c == nil {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, politeness)
	defer cancel()

	_, _ = c.do(ctx, endWithToken([]string{"kill-server"}))
	select {
	case <-c.lost:
	case <-ctx.Done():
	}
}

// Ping returns nil when the server answers. While it is being reconnected to, it
// waits for that until ctx ends.
func (s *Server) Ping(ctx context.Context) error {
	_, err := s.run(ctx, "display-message -p ok")
	return err
}
