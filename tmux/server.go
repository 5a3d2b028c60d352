package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Options says which tmux server to use, and how.
type Options struct {
	Binary string // default "tmux"
	Path   string // socket path (-S)

	// Join uses a running server that belongs to somebody else: parley starts
	// nothing there, attaches no client, makes no session, and sets no option but
	// its own on a pane. Each command is one process. Notify is never called.
	Join bool

	// Keeper is the beginning of a command line that runs Keep, which starts the server if none
	// runs and stays as its parent. Empty: the server is started without one.
	Keeper []string

	// View is how its terminals look and behave for a person who attaches. Not with Join.
	View View

	// Env is the environment of a server that is started, without TMUX and TMUX_PANE.
	// nil: that of this process.
	Env []string
	// Dir is where message texts wait for tmux. Default: $XDG_RUNTIME_DIR, /dev/shm or
	// os.TempDir(), the first that can be written.
	Dir string
	// Notify is called from the reader, so it must not block. It may be nil.
	Notify func(Notification)
}

// socket returns the flags that name the server's socket.
func (o *Options) socket() []string { return []string{"-S", o.Path} }

// Kind says what a Notification is about.
type Kind string

// The kinds of Notification.
const (
	Connected    Kind = "connected"    // commands work (again); Instance tells whether the server is a new one
	Disconnected Kind = "disconnected" // the client or the server died; Err is the symptom
	ModeChanged  Kind = "mode"         // Pane entered or left a mode, such as copy mode
	WindowsMoved Kind = "windows"      // windows or sessions were opened, closed or renamed
	ClientsMoved Kind = "clients"      // a terminal attached, detached or changed its session
)

// Notification is something that the server reported unasked. It never reports that
// a pane died, changed its title or printed something: tmux does not tell.
type Notification struct {
	Kind     Kind
	Pane     string // ModeChanged: %N
	Instance string // Connected: the server now connected
	Text     string // tmux's own line, if there was one
	Err      error  // Disconnected
}

// transport carries command lines to one tmux server.
type transport interface {
	// do runs the line that compose makes of a token, and returns what it printed.
	// The line must print its token as its very last act, and must not contain a
	// line feed. When ctx ends first, the line may still run.
	do(ctx context.Context, compose func(token string) string) (reply, error)
	// known returns the facts of the server last reached. Their instance is empty
	// while no server is known to run.
	known() facts
	// close ends the transport and waits for it. Calls in flight fail with ErrClosed.
	close()
}

// facts are what a server says about itself.
type facts struct {
	pid      int
	instance string
	path     string
	version  Version
}

// Server is one tmux server. It is safe for concurrent use. On parley's own server the
// commands of different goroutines are pipelined over one connection and do not wait for
// each other.
type Server struct {
	opts      Options
	texts     *textDir
	transport transport
}

// Open connects to the server that opts names. Without Join it starts the server
// if none runs, sets its options, and kills control clients that a dead daemon left
// there. It retries until ctx ends, except after ErrNotInstalled, ErrTooOld,
// ErrInvalid, ErrNoSocket and, with Join, ErrNoServer. The caller closes the Server.
func Open(ctx context.Context, opts Options) (*Server, error) {
	if opts.Binary == "" {
		opts.Binary = "tmux"
	}
	if opts.Path == "" {
		return nil, invalid("want a socket path")
	}
	if _, err := CheckVersion(ctx, opts.Binary); err != nil {
		return nil, err
	}

	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	opts.Env = withoutTmux(opts.Env)

	texts, err := newTextDir(opts.Dir)
	if err != nil {
		return nil, err
	}

	var t transport
	if opts.Join {
		t, err = openJoined(ctx, opts)
	} else {
		t, err = openControl(ctx, opts)
	}
	if err != nil {
		return nil, errors.Join(err, texts.close())
	}

	return &Server{opts: opts, texts: texts, transport: t}, nil
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

// run runs commands as one line and returns the lines that they print.
func (s *Server) run(ctx context.Context, commands ...string) ([]string, error) {
	r, err := s.transport.do(ctx, endWithToken(commands))
	return r.lines, err
}

func endWithToken(commands []string) func(string) string {
	return func(token string) string {
		return strings.Join(commands, " ; ") + " ; display-message -p " + token
	}
}

// Instance identifies the running server as "pid/start_time". It is empty while
// there is no connection; with Join it names the server that the last command
// reached. It changes when the server restarts, which voids every pane id.
func (s *Server) Instance() string { return s.transport.known().instance }

// PID returns the process id of the server last reached, 0 if none was.
func (s *Server) PID() int { return s.transport.known().pid }

// SocketPath returns the path of the socket of the server last reached.
func (s *Server) SocketPath() string { return s.transport.known().path }

// Version returns the version of the running server, which may be older than the
// binary.
func (s *Server) Version() Version { return s.transport.known().version }

// Ping returns nil when the server answers. While the connection is being made
// again, it waits until ctx ends.
func (s *Server) Ping(ctx context.Context) error {
	_, err := s.run(ctx, "display-message -p ok")
	return err
}

// Close ends the control client and waits for it, at most a second; the server and
// its sessions live on. Calls in flight fail with ErrClosed.
func (s *Server) Close() error {
	s.transport.close()
	return s.texts.close()
}

// Shutdown kills the server with every session, waits until it is gone, and closes
// the Server. A server that does not end within a few seconds of being asked is
// killed. If ctx ends first the server may stay; the Server is closed in any case.
// A joined server belongs to somebody else: Shutdown only closes the Server.
func (s *Server) Shutdown(ctx context.Context) error {
	ours, ok := s.transport.(*control)
	if !ok {
		return s.Close()
	}

	f := ours.known()
	ours.askToEnd(ctx)
	err := errors.Join(s.Close(), endServer(ctx, s.opts.Binary, f))
	if err != nil {
		return fmt.Errorf("shut tmux down: %w", err)
	}

	return nil
}
