package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"

	"parley"
)

// maxAnswer is the largest answer in bytes. A terminal's long history in colour stays
// far below it.
const maxAnswer = 32 << 20

// conn is the way to one daemon.
type conn struct {
	base  string // of the URLs
	where string // the daemon's address, for errors
	key   string
	retry time.Duration

	// Calls that may be repeated share connections. The others make their own,
	// so that they never meet one that a restarted daemon has closed.
	shared, fresh *http.Client

	hearing *hearing // nil where a second connection costs something, as over ssh
}

func newConn(o Options) *conn {
	c := &conn{base: strings.TrimSuffix(o.URL, "/"), where: o.URL, key: o.Key, retry: o.Retry}
	if o.Socket != "" || o.Dial != nil {
		c.base, c.where = "http://parley", cmp.Or(o.Socket, o.Where)
	}

	if o.HTTPClient != nil {
		c.shared, c.fresh = o.HTTPClient, o.HTTPClient
		return c
	}

	if o.Dial == nil {
		c.hearing = &patient
	}
	dial := (&net.Dialer{}).DialContext
	switch {
	case o.Socket != "":
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
			if err != nil || o.Check == nil {
				return conn, err
			}
			if err := o.Check(conn); err != nil {
				_ = conn.Close()
				return nil, &net.OpError{Op: "dial", Net: "unix", Err: err}
			}
			return conn, nil
		}
	case o.Dial != nil:
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := o.Dial(ctx)
			if err != nil {
				return nil, &net.OpError{Op: "dial", Net: "parley", Err: err}
			}
			return conn, nil
		}
	}

	// The daemon is local: few connections are enough, and an idle one is
	// cheap to make again.
	c.shared = &http.Client{
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute},
	}
	c.fresh = &http.Client{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true, ExpectContinueTimeout: time.Second},
	}

	return c
}

func (c *conn) close() {
	c.shared.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

type request struct {
	method string
	name   string // below /api/
	body   []byte
	safe   bool // may reach the daemon twice
}

// attempt makes a request once. The error is a *lost, or the daemon's own.
func (c *conn) attempt(ctx context.Context, r request, result any) error {
	ctx, heard, end := c.whileHeard(ctx)
	defer end()

	req, err := c.newRequest(ctx, r.method, "/api/"+r.name, bytes.NewReader(r.body))
	if err != nil {
		return err
	}

	req.Header.Set("Content-Type", "application/json")

	// The daemon checks what the call claims of its caller against the connection.
	// Ids, names and keys need no escaping; whatever does is none of them.
	claimed := parley.CredentialsFrom(ctx)
	if claimed.Key != "" {
		req.Header.Set("X-API-Key", url.QueryEscape(claimed.Key))
	}
	for _, claim := range claimed.Claims {
		req.Header.Add("X-Agent-ID", url.QueryEscape(claim))
	}

	via := c.fresh
	if r.safe {
		via = c.shared
	}

	resp, err := via.Do(req)
	if err != nil {
		return cmp.Or(silenceOf(ctx), c.classify(err))
	}
	heard()
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &lost{sent: true, cause: err}
	case len(answer) > maxAnswer:
		return parley.Errorf(parley.Internal, "the answer to %s is larger than %d bytes", r.name, maxAnswer).
			Suggest("Ask for less at a time.")
	}

	return c.decode(r.name, resp.StatusCode, answer, result)
}

// newRequest prepares a request with the client's key.
func (c *conn) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("address the daemon at %q: %w", c.where, err)
	}
	if c.key == "" {
		return req, nil
	}

	key := strings.TrimSpace(c.key) // an empty key is a wrong one: its user must not become somebody else
	if strings.ContainsFunc(key, unicode.IsControl) {
		return nil, parley.Errorf(parley.Unauthenticated, "the API key holds control characters").
			Suggest("Give it as register_agent or parley key printed it, in one line.")
	}
	req.Header.Set("Authorization", "Bearer "+key)

	return req, nil
}

// classify distinguishes a daemon that does not listen from a connection that broke.
func (c *conn) classify(err error) error {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "dial" {
		return &lost{sent: true, cause: err}
	}
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return parley.Errorf(parley.DaemonUnavailable, "%s may not be opened: %w", c.where, err).
			Suggest("Run this as the user who runs the daemon, or give an API key and the daemon's http address.")
	}
	return &lost{cause: err}
}

// decode reads an answer into result. An answer that is an error, and not a result
// that reports a failure, is returned as one.
func (c *conn) decode(name string, status int, answer []byte, result any) error {
	var form struct {
		Success *bool       `json:"success"`
		Code    parley.Code `json:"error_code"`
		Message *string     `json:"error_message"` // of an error; a result has none
	}

	if json.Unmarshal(answer, &form) != nil || form.Success == nil {
		return c.foreign(status, answer)
	}

	if form.Code != "" && form.Message != nil {
		e := new(parley.Error)
		if err := json.Unmarshal(answer, e); err != nil {
			return c.foreign(status, answer)
		}
		if e.Code == parley.DaemonUnavailable { // it is stopping
			return &lost{sent: true, cause: e}
		}

		return e
	}

	if err := json.Unmarshal(answer, result); err != nil {
		return parley.Errorf(parley.Internal, "the answer to %s cannot be read: %w", name, err).
			Suggest("The daemon may be of another version: restart it with `parley down` and `parley up`.")
	}

	return nil
}
