package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
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
