// Package client is parley.Service over HTTP: a daemon's unix socket, or its
// address on this machine. The CLI, the screen, the MCP bridge and programs
// that take part in a team all speak to the daemon through it.
package client

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"parley"
)

// Options says where the daemon is and who calls. Socket or URL is needed.
type Options struct {
	Socket string // path of the daemon's unix socket
	URL    string // or its address, e.g. http://127.0.0.1:7437
	Key    string // API key; without one the unix socket tells who calls

	// Retry is how long a call keeps trying when nobody listens, as while the
	// daemon restarts. Zero gives up at once.
	Retry time.Duration

	// HTTPClient replaces the client's own, which knows neither proxies nor
	// time limits: a call ends with its context.
	HTTPClient *http.Client
}

// Client is a parley.Service. It may be used by several goroutines.
type Client struct {
	base  string // of the URLs
	where string // for people
	key   string
	retry time.Duration

	// Calls that may be repeated share connections. The others make their own,
	// so that they never meet one that a restarted daemon has closed.
	shared, fresh *http.Client
}

var _ parley.Service = (*Client)(nil)

// New returns a client. It connects when the first call is made.
func New(o Options) *Client {
	c := &Client{base: strings.TrimSuffix(o.URL, "/"), where: o.URL, key: o.Key, retry: o.Retry}
	if o.Socket != "" {
		c.base, c.where = "http://parley", o.Socket
	}

	if o.HTTPClient != nil {
		c.shared, c.fresh = o.HTTPClient, o.HTTPClient
		return c
	}

	dial := (&net.Dialer{}).DialContext
	if o.Socket != "" {
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
		}
	}

	// The daemon is local: few connections are enough, and an idle one is
	// cheap to make again.
	c.shared = &http.Client{
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute},
	}

	c.fresh = &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true, ExpectContinueTimeout: longestWait},
	}

	return c
}

// Close closes the connections that no call is using.
func (c *Client) Close() {
	c.shared.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}
