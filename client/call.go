package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"parley/internal/wait"
	"parley/op"
)

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
