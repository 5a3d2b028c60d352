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
	"parley/op"
	"parley/plain"
)

// tool serves one operation.
type tool struct {
	op            *op.Op
	server        *server.MCPServer
	options       Options
	progressEvery time.Duration
}

// call decodes, calls and encodes. Failures are results, which the model reads, and not
// errors of the protocol, which it never sees.
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

	text, err := compact(forModel(result, args))
	if err != nil {
		return t.failure(fmt.Errorf("write the result of %s: %w", t.op.Name, err)), nil
	}

	// The text alone: as structured content too, every answer would come twice.
	res := mcp.NewToolResultText(text)
	res.IsError = reportsFailure(result)

	return res, nil
}

// perform makes the call for the caller in ctx, if the caller may make it.
func (t *tool) perform(ctx context.Context, args json.RawMessage) (any, error) {
	if err := t.options.allow(ctx, t.op.Name); err != nil {
		return nil, err
	}

	inv, err := t.op.Decode(args)
	if err != nil {
		return nil, err
	}

	inv.Recheck(t.options.recheck)

	return inv.Call(ctx, t.options.Service)
}

// recheck looks the caller's key up once more: it may have been revoked while the call
// waited.
func (o Options) recheck(ctx context.Context) error {
	_, err := o.refresh(ctx)
	return err
}

func keyGone() error {
	return parley.Errorf(parley.Unauthenticated, "the API key is no longer valid").
		Suggest("Ask the operator for another one.")
}

// identify removes the api_key from the arguments of a call. If the connection has no
// credential, the key identifies the caller; otherwise it must agree with the connection.
func (t *tool) identify(ctx context.Context, args json.RawMessage) (context.Context, json.RawMessage, error) {
	args, key, given := op.TakeKey(args)
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
	case named.Unplaced:
		return ctx, args, op.KeyNotHere()
	case !given || named.Nobody():
		return ctx, args, parley.Errorf(parley.Unauthenticated, "the API key in api_key is not known").
			Suggest("Use the key from register_agent, or leave api_key out when your connection says who you are.")
	case !caller.Nobody() && !caller.Operator && caller.ID != named.ID:
		return ctx, args, parley.Errorf(parley.Unauthenticated, "api_key is another agent's than the connection's").
			Suggest("Leave api_key out: the connection says who calls.")
	}

	for _, claim := range connection.Claims {
		if !named.Is(claim) {
			return ctx, args, parley.Errorf(
				parley.NotAuthorized, "X-Agent-ID is %q, but api_key is %s's", plain.CleanLine(claim), named.Name,
			).Suggest("Leave X-Agent-ID out: the key says who calls.")
		}
	}

	named.Network, connection.Key = caller.Network, key

	return parley.WithCredentials(parley.WithCaller(ctx, named), connection), args, nil
}

// forModel returns what of a result a model needs, unless it asks for all.
func forModel(result any, args json.RawMessage) any {
	var asked struct {
		All bool `json:"all"`
	}
	_ = json.Unmarshal(args, &asked) // they were decoded before
	if long, ok := result.(interface{ ForModel() any }); ok && !asked.All {
		return long.ForModel()
	}
	return result
}

// reportsFailure reports whether a result reports a failure, such as that of a message to
// one agent that is terminated.
func reportsFailure(result any) bool {
	c, ok := result.(interface{ Failure() parley.Code })
	return ok && c.Failure() != ""
}

// failure returns an error as a result, in words and as structured content. Internal errors
// are logged.
func (t *tool) failure(err error) *mcp.CallToolResult { return failureOf(t.toError(err)) }

// toError returns err as an *Error, and logs it if it is internal.
func (t *tool) toError(err error) *parley.Error {
	e := parley.AsError(err)
	if e.Code == parley.Internal {
		t.options.Log.Error("a call failed", "tool", t.op.Name, "error", err)
	}
	return e
}

func failureOf(e *parley.Error) *mcp.CallToolResult {
	res := mcp.NewToolResultStructured(e, inWords(e))
	res.IsError = true
	return res
}

// compact returns JSON without the escapes for HTML, which models read badly.
func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimSpace(b.Bytes())), err
}

// reportProgress notifies a client that asked for it that the call still waits, until stop
// is called.
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

			// Only a hint: the response comes even if this cannot be sent.
			_ = t.server.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": req.Params.Meta.ProgressToken, "progress": n, "message": t.op.Name + " is waiting"})
		}
	})

	return func() {
		close(done)
		running.Wait()
	}
}
