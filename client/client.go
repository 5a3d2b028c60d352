// Package client is parley.Service over HTTP: a daemon's unix socket, or its
// address on this machine. The CLI, the screen, the MCP bridge and programs
// that take part in a team all speak to the daemon through it.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/wait"
	"parley/op"
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
type Client struct{ conn *conn }

var _ parley.Service = (*Client)(nil)

// New returns a client. It connects when the first call is made.
func New(o Options) *Client { return &Client{newConn(o)} }

// Do implements parley.Service.
func (c *Client) Do(ctx context.Context, operation string, request any) (any, error) {
	o := op.Find(operation)
	if o == nil {
		return nil, fmt.Errorf("there is no operation %q", operation)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the parameters of %s: %w", operation, err)
	}

	result := o.NewResult()
	if err := c.conn.callOp(ctx, o, body, result); err != nil {
		return nil, err
	}
	return result, nil
}

// RegisterAgent makes a mailbox agent. Use its key in another client.
func (c *Client) RegisterAgent(ctx context.Context, r parley.RegisterAgentRequest) (*parley.RegisterAgentResult,
	error) {
	return op.RegisterAgent.Call(ctx, c, r)
}

// SendMessage sends a message, once, even if the connection breaks meanwhile.
func (c *Client) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	return op.SendMessage.Call(ctx, c, r)
}

// CheckInbox lists messages, and can wait for one.
func (c *Client) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	return op.CheckInbox.Call(ctx, c, r)
}

// RespondToMessage answers a message, once, as SendMessage does.
func (c *Client) RespondToMessage(
	ctx context.Context, r parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	return op.RespondToMessage.Call(ctx, c, r)
}

// IgnoreMessage marks a message as read and gives it no answer.
func (c *Client) IgnoreMessage(ctx context.Context, r parley.IgnoreMessageRequest) (*parley.IgnoreMessageResult,
	error) {
	return op.IgnoreMessage.Call(ctx, c, r)
}

// GetConversationHistory returns what two agents wrote to each other.
func (c *Client) GetConversationHistory(ctx context.Context, r parley.HistoryRequest) (*parley.HistoryResult, error) {
	return op.GetConversationHistory.Call(ctx, c, r)
}

// Close closes the connections that no call is using.
func (c *Client) Close() { c.conn.close() }

// The pauses between attempts to reach the daemon: short at first, because it
// starts within a fraction of a second.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
)

// callOp calls an operation with parameters that are JSON already.
func (c *conn) callOp(ctx context.Context, op *op.Op, params []byte, result any) error {
	params, safe := repeatable(op, params)
	return c.do(ctx, request{http.MethodPost, op.Name, params, safe}, result)
}

// do makes a request until it is answered. A request that did not reach the daemon is
// repeated until the client's patience ends. One that may have reached it is repeated
// only if it is safe.
func (c *conn) do(ctx context.Context, r request, result any) error {
	var patience context.Context // from the first failure on
	var pauses backoff
	for {
		err := c.attempt(ctx, r, result)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("%s: %w", r.name, context.Cause(ctx))
		}

		l, ok := errors.AsType[*lost](err)
		if !ok {
			return err
		}
		if l.sent && !r.safe {
			return c.unknown(r.name, l)
		}

		if patience == nil {
			var cancel context.CancelFunc
			patience, cancel = context.WithTimeout(ctx, c.retry)
			defer cancel()

			if l.sent {
				continue // most likely a connection that had gone stale
			}
		}

		if pauses.wait(patience) != nil && ctx.Err() == nil {
			return c.unavailable(l)
		}
	}
}

// backoff pauses between attempts, each time twice as long. Its zero value is ready.
type backoff struct{ last time.Duration }

// wait pauses. It returns the error of ctx if that ends first.
func (b *backoff) wait(ctx context.Context) error {
	b.last = min(max(2*b.last, firstPause), longestPause)
	return wait.Pause(ctx, b.last)
}

// keyField is the parameter with which the daemon recognises a repeated call.
const keyField = "idempotency_key"

// repeatable makes a call one that may reach the daemon twice, if it can, and reports
// whether it is. Such a call only reads, or carries an idempotency key, which it gets
// here if it has none.
func repeatable(o *op.Op, params []byte) (repeated []byte, ok bool) {
	if o.Effect == op.Reads {
		return params, true
	}
	if !slices.ContainsFunc(o.Fields, func(f op.Field) bool { return f.Name == keyField }) {
		return params, false
	}
	return withKey(params)
}

// withKey adds an idempotency key to an object that names none, and reports whether the
// object has one. What is not an object, or has a key that is not a string, is left for
// the daemon to refuse.
func withKey(params []byte) (keyed []byte, ok bool) {
	params = bytes.TrimSpace(params)
	if len(params) == 0 {
		params = []byte("{}")
	}

	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members == nil {
		return params, false
	}
	if given, ok := members[keyField]; ok {
		var key string
		return params, json.Unmarshal(given, &key) == nil && key != ""
	}

	head := `{"` + keyField + `":"` + uuid.NewString() + `"`
	if len(members) > 0 {
		head += ","
	}

	return append([]byte(head), params[1:]...), true // the rest stays as it is, with a member given twice
}
