package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	"parley"
)

// maxAnswer is the largest answer that is read. The largest honest one, a
// terminal's long history in colour, stays far below it.
const maxAnswer = 32 << 20

// The pauses between attempts to reach the daemon: short at first, because it
// starts within a fraction of a second.
const (
	firstPause  = 20 * time.Millisecond
	longestWait = time.Second
)

// lost is a call that got no answer.
type lost struct {
	sent  bool // whether the daemon may have seen it
	cause error
}

func (l *lost) Error() string { return l.cause.Error() }
func (l *lost) Unwrap() error { return l.cause }

// call makes one operation's call.
func call[Res any](ctx context.Context, c *Client, name string, request any) (*Res, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the parameters of %s: %w", name, err)
	}
	result := new(Res)
	if err := c.do(ctx, ask{http.MethodPost, name, body, repeatable(parley.FindOp(name))}, result); err != nil {
		return nil, err
	}
	return result, nil
}

// ask is a request of the daemon.
type ask struct {
	method string
	name   string // below /api/
	body   []byte
	again  bool // it can do no harm twice
}

// do makes a request. One that did not reach the daemon is made again for as long
// as the client is patient; one that may have reached it, only if it can do no
// harm twice.
func (c *Client) do(ctx context.Context, a ask, result any) error {
	var patience context.Context
	for pause := firstPause; ; pause = min(2*pause, longestWait) {
		err := c.once(ctx, a, result)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", a.name, context.Cause(ctx))
		}

		l, ok := errors.AsType[*lost](err)
		if !ok {
			return err
		}
		if l.sent && !a.again {
			return c.unknown(a.name, l)
		}

		first := patience == nil
		if first {
			var cancel context.CancelFunc
			patience, cancel = context.WithTimeout(ctx, c.retry)
			defer cancel()
		}

		if first && l.sent {
			continue // most likely a connection that had gone stale
		}
		if !wait(patience, pause) && ctx.Err() == nil {
			return c.unavailable(l)
		}
	}
}

// repeatable reports whether a call may reach the daemon twice: it only reads,
// or it carries an idempotency key, which this client always gives.
func repeatable(op *parley.Op) bool {
	return op.Effect == parley.Reads ||
		slices.ContainsFunc(op.Fields, func(f parley.Field) bool { return f.Name == "idempotency_key" })
}

// wait pauses and reports whether there is still time.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once makes one attempt: a *lost error, the daemon's own error, or a result.
func (c *Client) once(ctx context.Context, a ask, result any) error {
	req, err := http.NewRequestWithContext(ctx, a.method, c.base+"/api/"+a.name, bytes.NewReader(a.body))
	if err != nil {
		return fmt.Errorf("address the daemon at %q: %w", c.where, err)
	}

	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}

	// The daemon holds what the call says of its caller against the connection.
	// Ids, names and keys have nothing to escape; what has is none of them.
	own := parley.CredentialsFrom(ctx)
	if own.Key != "" {
		req.Header.Set("X-API-Key", url.QueryEscape(own.Key))
	}

	for _, claim := range own.Claims {
		req.Header.Add("X-Agent-ID", url.QueryEscape(claim))
	}

	conn := c.fresh
	if a.again {
		conn = c.shared
	}

	resp, err := conn.Do(req)
	if err != nil {
		return c.classify(err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &lost{sent: true, cause: err}
	case len(answer) > maxAnswer:
		return parley.Errorf(parley.Internal, "the answer to %s is larger than %d bytes", a.name, maxAnswer).
			Suggest("Ask for less at a time.")
	}

	return c.read(a.name, resp.StatusCode, answer, result)
}

// classify tells a daemon that is not there from one that vanished.
func (c *Client) classify(err error) error {
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

// read decodes an answer. A failure is an error, unless it is a result that
// reports one.
func (c *Client) read(name string, status int, answer []byte, result any) error {
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

// foreign is the error of an answer that no parley daemon gave.
func (c *Client) foreign(status int, answer []byte) error {
	return parley.Errorf(parley.DaemonUnavailable, "what listens at %s is no parley daemon: it answered %d %s",
		c.where, status, parley.Truncate(parley.CleanLine(string(answer)), 100)).
		Suggest("Check the address; `parley status` shows the daemon's.")
}

func (c *Client) unavailable(l *lost) error {
	if e, ok := errors.AsType[*parley.Error](l.cause); ok {
		return e
	}
	cause := l.cause
	if errno, ok := errors.AsType[syscall.Errno](cause); ok {
		cause = errno // the rest repeats where it was
	}
	return parley.Errorf(parley.DaemonUnavailable, "no daemon answers at %s: %w", c.where, cause).
		Suggest("Start it with `parley serve`, or look at `parley status`.")
}

func (c *Client) unknown(name string, l *lost) error {
	return parley.Errorf(parley.DaemonUnavailable, "the connection to the daemon broke before %s was answered: %w", name, l.cause).
		Suggest("It may have been done or not: look before you call %s again.", name)
}
