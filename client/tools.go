package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"parley"
)

// Tools returns the tools that the caller may use, as the `tools` of a chat
// completion. Dispatch makes the calls with which a model answers.
func (c *Client) Tools(ctx context.Context) ([]parley.Tool, error) {
	var res parley.ToolsResult
	err := c.do(ctx, ask{method: http.MethodGet, name: "tools", again: true}, &res)
	return res.Tools, err
}

// Dispatch makes a model's tool call and returns the JSON for the tool message. What
// is wrong with the call is in that JSON too, so that the model can do better. The
// error is not nil only when no daemon answers, or ctx ends.
//
// Beside the names of Tools it knows talk_to_dm, message_agent, check_messages and
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

	op, err := tool(name)
	if err != nil {
		return nil, err
	}

	again := op.Effect == parley.Reads
	if slices.ContainsFunc(op.Fields, func(f parley.Field) bool { return f.Name == "idempotency_key" }) {
		arguments, again = withKey(arguments)
	}

	return result, c.do(ctx, ask{http.MethodPost, op.Name, arguments, again}, &result)
}

// tool finds the operation of a model's call: what is not offered to models, is not
// done for them.
func tool(name string) (*parley.Op, error) {
	var names []string
	for _, op := range parley.Ops {
		if !op.ForModels() {
			continue
		}
		if names = append(names, op.Name); strings.EqualFold(op.Name, name) {
			return op, nil
		}
	}

	e := parley.Errorf(parley.InvalidArgument, "there is no tool %q", parley.CleanLine(name)).With("tools", names)
	if near := parley.Nearest(name, names); near != "" {
		return nil, e.Suggest("Did you mean %s?", near)
	}

	return nil, e.Suggest("Use one of: %s.", strings.Join(names, ", "))
}

// withKey gives a call an idempotency key, if it says nothing of one, and reports
// whether it did: such a call can be made again. What is no object is left to the
// daemon to refuse.
func withKey(arguments []byte) (keyed []byte, added bool) {
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}

	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil || members == nil || members["idempotency_key"] != nil {
		return arguments, false
	}

	head := `{"idempotency_key":"` + uuid.NewString() + `"`
	if len(members) > 0 {
		head += ","
	}

	return append([]byte(head), arguments[1:]...), true // the rest stays as it is, with a member given twice
}
