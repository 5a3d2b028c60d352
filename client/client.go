// Package client is parley.Service over HTTP: a daemon's unix socket, or its
// address on this machine. The CLI, the screen, the MCP bridge and programs
// that take part in a team all speak to the daemon through it.
package client

import (
	"context"
	"net"
	"net/http"
	"time"

	"parley"
)

// Options says where the daemon is and who calls. Socket, URL or Dial is needed.
type Options struct {
	Socket string // path of the daemon's unix socket
	// Check looks at who listens on Socket, before anything is sent.
	Check func(net.Conn) error
	URL   string // or its address, e.g. http://127.0.0.1:7437

	// Dial makes a connection to the daemon in another way, and Where names that in errors.
	Dial  func(context.Context) (net.Conn, error)
	Where string

	Key string // API key; without one the daemon knows the caller by the unix socket

	// Retry is how long a call keeps trying when nobody listens, as while the
	// daemon restarts. Zero gives up at once.
	Retry time.Duration

	// HTTPClient replaces the client's own, which uses no proxy and has no
	// time limit: a call ends with its context.
	HTTPClient *http.Client
}

// Client is a parley.Service. It is safe for concurrent use.
type Client struct {
	conn *conn

	agents
	terminals
	worktrees
	messages
	threads
	conversations
	files
	operator
	programs
	events
	workspace
	keys
	responders
	tools
}

var _ parley.Service = (*Client)(nil)

// New returns a client. It connects when the first call is made.
func New(o Options) *Client {
	c := newConn(o)
	return &Client{
		conn:          c,
		agents:        agents{c},
		terminals:     terminals{c},
		worktrees:     worktrees{c},
		messages:      messages{c},
		threads:       threads{c},
		conversations: conversations{c},
		files:         files{c},
		operator:      operator{c},
		programs:      programs{c},
		events:        events{c},
		workspace:     workspace{c},
		keys:          keys{c},
		responders:    responders{c},
		tools:         tools{c},
	}
}

// Close closes the connections that no call is using.
func (c *Client) Close() { c.conn.close() }
