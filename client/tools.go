package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/op"
	"parley/plain"
)

// Tools returns the tools that the caller may use, in the form of a chat completion's
// `tools`. Dispatch makes the calls that a model answers with.
func (c *Client) Tools(ctx context.Context) ([]parley.Tool, error) {
	var res op.ToolsResult
	err := c.conn.do(ctx, request{method: http.MethodGet, name: "tools", safe: true}, &res)
	return res.Tools, err
}

// Dispatch makes a model's tool call and returns the JSON for the tool message. If
// something is wrong with the call, the JSON says so, and the model can correct it. The
// error is not nil only when no daemon answers, or ctx ends.
//
// Besides the names of Tools it accepts talk_to_dm, message_agent, check_messages and
// get_dm_conversation_history, which agents commonly define for themselves, and names
// in capitals, such as SEND_MESSAGE.
func (c *Client) Dispatch(ctx context.Context, name, arguments string) (string, error) {
	result, err := c.dispatch(ctx, name, []byte(arguments))
	if err == nil {
		return string(result), nil
	}
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Code != parley.DaemonUnavailable {
		result, err = json.Marshal(e)
	}
	return string(result), err
}

func (c *Client) dispatch(ctx context.Context, name string, arguments []byte) (result json.RawMessage, err error) {
	if w, ok := wrappers[strings.ToLower(name)]; ok {
		name = w.operation
		if arguments, err = w.translate(arguments); err != nil {
			return nil, err
		}
	}

	op, err := findTool(name)
	if err != nil {
		return nil, err
	}

	return result, c.conn.callOp(ctx, op, arguments, &result)
}

// findTool finds the operation of a model's call, among those that models are offered.
func findTool(name string) (*op.Op, error) {
	var names []string
	for _, op := range op.All {
		if !op.ForModels() {
			continue
		}
		if names = append(names, op.Name); strings.EqualFold(op.Name, name) {
			return op, nil
		}
	}

	e := parley.Errorf(parley.InvalidArgument, "there is no tool %q", plain.CleanLine(name)).With("tools", names)
	if near := plain.Nearest(name, names); near != "" {
		return nil, e.Suggest("Did you mean %s?", near)
	}

	return nil, e.Suggest("Use one of: %s.", strings.Join(names, ", "))
}

// wrapper is a tool that agents define for themselves, in terms of an operation.
type wrapper struct {
	operation  string
	parameters map[string]string // its own name → the operation's
	required   []string          // its own names
	fixed      map[string]string // parameters of the operation with fixed values
}

// dm is the agent of talk_to_dm.
const dm = "DM"

var wrappers = map[string]wrapper{
	"talk_to_dm": {
		operation:  "send_message",
		parameters: map[string]string{"message": "text"},
		required:   []string{"message"},
		fixed:      map[string]string{"to": dm},
	},
	"message_agent": {
		operation:  "send_message",
		parameters: map[string]string{"username": "to", "message": "text"},
		required:   []string{"username", "message"},
	},
	"check_messages": {
		operation:  "check_inbox",
		parameters: map[string]string{"include_read": "include_read", "sender": "filter_by_sender"},
	},
	"get_dm_conversation_history": {
		operation:  "get_conversation_history",
		parameters: map[string]string{"limit": "limit"},
		fixed:      map[string]string{"conversation_with": dm},
	},
}

// translate converts the wrapper's arguments to the operation's. It refuses unknown
// parameters, even if the operation has them.
func (w wrapper) translate(arguments []byte) ([]byte, error) {
	var given map[string]json.RawMessage
	if text := strings.TrimSpace(string(arguments)); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, parley.Errorf(parley.InvalidArgument, "the arguments are not a JSON object: %w", err).
				Suggest("Send one object with: %s.", strings.Join(w.names(), ", "))
		}
	}

	args := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		canonical, ok := w.parameters[name]
		if !ok {
			return nil, w.unknown(name)
		}
		args[canonical] = given[name]
	}

	for _, name := range w.required {
		if value := string(given[name]); value == "" || value == "null" || value == `""` {
			return nil, parley.Errorf(parley.InvalidArgument, "%s is missing", name).
				With("parameter", name).
				Suggest("Give %s.", name)
		}
	}

	for name, value := range w.fixed {
		args[name] = value
	}

	return json.Marshal(args)
}

func (w wrapper) names() []string { return slices.Sorted(maps.Keys(w.parameters)) }

func (w wrapper) unknown(name string) error {
	e := parley.Errorf(parley.InvalidArgument, "there is no parameter %q", plain.CleanLine(name)).
		With("parameter", name)
	if near := plain.Nearest(name, w.names()); near != "" {
		return e.Suggest("Did you mean %q?", near)
	}
	return e.Suggest("Give: %s.", strings.Join(w.names(), ", "))
}

// A page of the stream: as many events as the daemon returns at once, and a wait
// that stays below its limit.
const (
	pageSize = 1000
	pageWait = 30 // seconds
)

// passing are the failures that end by themselves: a stream waits for that.
var passing = []parley.Code{parley.DaemonUnavailable, parley.StorageUnavailable, parley.RateLimited}

// Events yields the events after a sequence number until ctx ends or the loop is left.
// When the daemon goes away it waits for its return and continues where it was: it
// misses no event and yields none twice. An error is the last value, and waiting does
// not mend it.
func (c *Client) Events(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
	return func(yield func(parley.Event, error) bool) {
		var pauses backoff
		for {
			next := parley.ReadEventsRequest{After: after, Limit: pageSize, WaitSeconds: pageWait}
			page, err := op.ReadEvents.Call(ctx, c, next)
			if ctx.Err() != nil {
				return
			}

			if err != nil {
				if !slices.Contains(passing, parley.ErrorCode(err)) {
					yield(parley.Event{}, err)
					return
				}

				_ = pauses.wait(ctx) // its end is seen above
				continue
			}

			pauses = backoff{}
			for _, event := range page.Events {
				if !yield(event, nil) {
					return
				}
			}

			after = max(after, page.Next)
		}
	}
}
