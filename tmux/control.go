package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/wait"
)

// Backoff between attempts to connect. A new-session right after kill-server on the
// same socket can fail, so the first retry comes soon. It does not come at once: up
// to 3.6a at least (tmux issue 4980; seen on 3.3a) tmux crashes when it has something
// to notify, such as the end of our last client, while a control client is half
// attached.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// control is the transport of parley's own server: one control client, replaced
// whenever it breaks.
type control struct {
	opts    Options
	stop    context.CancelFunc
	stopped chan struct{} // closed when the supervisor is done

	mu     sync.Mutex
	conn   *conn         // nil while disconnected
	up     chan struct{} // closed while connected
	facts  facts         // of the server last connected to
	last   error         // why the last attempt to connect failed
	closed bool
}

// openControl connects, starting the server if needed, and retries until ctx ends.
func openControl(ctx context.Context, opts Options) (*control, error) {
	life, stop := context.WithCancel(context.Background())
	c := &control{opts: opts, stop: stop, stopped: make(chan struct{}), up: make(chan struct{})}

	conn, err := c.connectFirst(ctx)
	if err != nil {
		stop()
		return nil, err
	}

	go c.supervise(life, conn)

	return c, nil
}

func (c *control) connectFirst(ctx context.Context) (*conn, error) {
	for delay := firstRetry; ; delay = min(2*delay, lastRetry) {
		conn, err := c.connect(ctx, true)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(err, ErrNotInstalled), errors.Is(err, ErrTooOld), errors.Is(err, ErrInvalid),
			errors.Is(err, ErrNoSocket):
			return nil, err
		}
		if wait.Pause(ctx, delay) != nil {
			return nil, fmt.Errorf("connect to tmux: %w (last attempt: %w)", context.Cause(ctx), err)
		}
	}
}

// supervise keeps a connection up until ctx ends.
func (c *control) supervise(ctx context.Context, conn *conn) {
	defer close(c.stopped)

	for conn != nil {
		if !c.hold(ctx, conn) {
			c.setDown(ErrClosed)
			conn.close(ErrClosed)
			return
		}

		c.setDown(conn.err)
		c.notify(Notification{Kind: Disconnected, Err: conn.err})
		conn.close(conn.err)
		conn = c.reconnect(ctx)
	}
}

// hold waits until a connection is lost, and keeps the server's socket meanwhile: others attach through it. It
// returns false if ctx ends first.
func (c *control) hold(ctx context.Context, conn *conn) bool {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-conn.lost:
			return true
		case <-look.C:
			_ = wake(ctx, c.opts.Path) // the next look tries again
		}
	}
}

// reconnect returns nil if ctx ends first.
func (c *control) reconnect(ctx context.Context) *conn {
	for delay := firstRetry; ; delay = min(2*delay, lastRetry) {
		if wait.Pause(ctx, delay) != nil {
			return nil
		}
		conn, err := c.connect(ctx, false)
		if err == nil {
			return conn
		}
		c.mu.Lock()
		c.last = err
		c.mu.Unlock()
	}
}

func (c *control) setUp(conn *conn, f facts) {
	c.mu.Lock()
	c.conn, c.facts, c.last = conn, f, nil
	close(c.up)
	c.mu.Unlock()
	c.notify(Notification{Kind: Connected, Instance: f.instance})
}

func (c *control) setDown(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = err
	if c.conn != nil {
		c.conn, c.up = nil, make(chan struct{})
		c.facts.instance = ""
	}
}

func (c *control) notify(n Notification) {
	if c.opts.Notify != nil {
		c.opts.Notify(n)
	}
}

// onNotice translates a line that tmux sent unasked.
func (c *control) onNotice(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "%pane-mode-changed":
		c.notify(Notification{Kind: ModeChanged, Pane: rest, Text: line})
	case "%sessions-changed", "%session-renamed", "%window-add", "%window-close", "%window-renamed",
		"%unlinked-window-add", "%unlinked-window-close", "%unlinked-window-renamed":
		c.notify(Notification{Kind: WindowsMoved, Text: line})
	case "%client-session-changed", "%client-detached":
		c.notify(Notification{Kind: ClientsMoved, Text: line})
	}
}

func (c *control) do(ctx context.Context, compose func(token string) string) (reply, error) {
	conn, err := c.connection(ctx)
	if err != nil {
		return reply{}, err
	}
	return conn.do(ctx, compose)
}

// connection waits for the connection to be up.
func (c *control) connection(ctx context.Context) (*conn, error) {
	for {
		c.mu.Lock()
		conn, up, closed := c.conn, c.up, c.closed
		c.mu.Unlock()
		if closed {
			return nil, ErrClosed
		}
		if conn != nil {
			return conn, nil
		}

		select {
		case <-up:
		case <-c.stopped:
			return nil, ErrClosed
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			return nil, fmt.Errorf("wait for tmux: %w (last seen: %w)", context.Cause(ctx), c.last)
		}
	}
}

func (c *control) known() facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts
}

func (c *control) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.stop()
	<-c.stopped
}
