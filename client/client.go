// Package client is parley.Service over HTTP: a daemon's unix socket, or its
// address on this machine. The CLI, the screen, the MCP bridge and programs
// that take part in a team all speak to the daemon through it.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"parley"
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
