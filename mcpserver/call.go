package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
)

// tool answers the calls of one operation.
type tool struct {
	op            *parley.Op
	server        *server.MCPServer
	options       Options
	progressEvery time.Duration
}

// call decodes, calls and encodes. Failures are results that the model reads,
// not errors of the protocol, which it never sees.
func (t *tool) call(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, args, err := t.identify(ctx, req.Params.RawArguments)
	if err != nil {
		return t.failure(err), nil
	}

	stop := t.reportProgress(ctx, req)
	result, err := t.perform(ctx, args)
	stop()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return t.failure(err), nil
	}

	text, err := compact(result)
	if err != nil {
		return t.failure(fmt.Errorf("write the result of %s: %w", t.op.Name, err)), nil
	}

	res := mcp.NewToolResultStructured(json.RawMessage(text), text)
	res.IsError = reportsFailure(result)

	return res, nil
}

// perform makes the call for the caller in ctx, if it may be made.
func (t *tool) perform(ctx context.Context, args json.RawMessage) (any, error) {
	if err := t.op.Allow(parley.CallerFrom(ctx)); err != nil {
		return nil, err
	}
	if !t.options.offers(ctx, t.op.Name) {
		return nil, notOffered(t.op.Name)
	}

	inv, err := t.op.Decode(args)
	if err != nil {
		return nil, err
	}

	inv.Recheck(t.recheck)

	return inv.Call(ctx, t.options.Service)
}

// recheck looks the caller's key up once more: it may have been revoked while the call
// waited.
func (t *tool) recheck(ctx context.Context) error {
	key := parley.CredentialsFrom(ctx).Key
	if t.options.Authenticate == nil || key == "" {
		return nil
	}
	if _, ok := t.options.Authenticate(ctx, key); !ok {
		return parley.Errorf(parley.Unauthenticated, "the API key is not known any more").
			Suggest("Ask the operator for another one.")
	}
	return nil
}

// identify takes the API key out of a call's arguments, where the seeds' tools
// have it. It decides, as any key does, where the connection has none, and must be
// the same where it has one.
func (t *tool) identify(ctx context.Context, args json.RawMessage) (context.Context, json.RawMessage, error) {
	args, key, given := parley.TakeKey(args)
	caller, connection := parley.CallerFrom(ctx), parley.CredentialsFrom(ctx)
	switch {
	case !given:
		return ctx, args, nil
	case connection.Key != "" && connection.Key != key:
		return ctx, args, parley.Errorf(parley.Unauthenticated, "api_key is another key than the connection's").
			Suggest("Leave api_key out: the connection says who calls.")
	case caller.Remote && key != "":
		return parley.WithCredentials(ctx, parley.Credentials{Key: key}), args, nil
	}

	var named parley.Caller
	if t.options.Authenticate != nil && key != "" {
		named, given = t.options.Authenticate(ctx, key)
	}

	switch {
	case !given || named.Nobody():
		return ctx, args, parley.Errorf(parley.Unauthenticated, "the API key in api_key is not known").
			Suggest("Use the key from register_agent, or leave api_key out when your connection says who you are.")
	case !caller.Nobody() && !caller.Operator && caller.ID != named.ID:
		return ctx, args, parley.Errorf(parley.Unauthenticated, "api_key is another agent's than the connection's").
			Suggest("Leave api_key out: the connection says who calls.")
	}

	for _, claim := range connection.Claims {
		if !named.Is(claim) {
			return ctx, args, parley.Errorf(parley.NotAuthorized, "X-Agent-ID is %q, but api_key is %s's", parley.CleanLine(claim), named.Name).
				Suggest("Leave X-Agent-ID out: the key says who calls.")
		}
	}

	named.Network, connection.Key = caller.Network, key

	return parley.WithCredentials(parley.WithCaller(ctx, named), connection), args, nil
}

// reportsFailure reports whether a result is the report of a failure that
// carries data, such as a message to one agent that is gone.
func reportsFailure(result any) bool {
	c, ok := result.(interface{ Failure() parley.Code })
	return ok && c.Failure() != ""
}

// failure says what went wrong and what to do next, in words and in the form
// that all faces share. What is nobody's mistake but ours is logged.
func (t *tool) failure(err error) *mcp.CallToolResult { return failureOf(t.noted(err)) }

func (t *tool) noted(err error) *parley.Error {
	e := parley.AsError(err)
	if e.Code == parley.Internal {
		t.options.Log.Error("a call failed", "tool", t.op.Name, "error", err)
	}
	return e
}

// inWords is an error as a model reads it.
func inWords(e *parley.Error) string {
	text := fmt.Sprintf("%s: %s.", e.Code, e.Message)
	if e.Action != "" {
		text += " " + e.Action
	}
	return text
}

func failureOf(e *parley.Error) *mcp.CallToolResult {
	res := mcp.NewToolResultStructured(e, inWords(e))
	res.IsError = true
	return res
}

// compact is JSON without the escapes for web pages, which models read badly.
func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimSpace(b.Bytes())), err
}

// reportProgress tells a client that asked for it, until stop is called, that
// the call still waits.
func (t *tool) reportProgress(ctx context.Context, req mcp.CallToolRequest) (stop func()) {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return func() {}
	}

	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(t.progressEvery)
		defer ticker.Stop()

		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
			}

			// A hint only: when it cannot be delivered, the answer still comes.
			_ = t.server.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": req.Params.Meta.ProgressToken, "progress": n, "message": t.op.Name + " is waiting"})
		}
	})

	return func() {
		close(done)
		running.Wait()
	}
}
