package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/op"
)

// Who waits for a message does not get it with a key that has been revoked meanwhile.
func TestACallThatWaitedStillNeedsItsKey(t *testing.T) {
	var revoked atomic.Bool
	here := &tool{op: op.Find("check_inbox"), options: Options{
		Authenticate: func(context.Context, string) (parley.Caller, bool) { return coder, !revoked.Load() }}}
	ctx := parley.WithCredentials(t.Context(), parley.Credentials{Key: "coders-key"})
	if err := here.options.recheck(ctx); err != nil {
		t.Errorf("a key that is good: %v", err)
	}

	revoked.Store(true)
	if err := here.options.recheck(ctx); err == nil || parley.AsError(err).Code != parley.Unauthenticated ||
		!strings.Contains(err.Error(), "no longer") {
		t.Errorf("a key that was revoked: got %v", err)
	}

	byKey := json.RawMessage(`{"api_key":"coders-key"}`)
	if _, _, err := here.identify(t.Context(), byKey); err == nil {
		t.Error("a revoked api_key was taken")
	}

	revoked.Store(false)
	named, _, err := here.identify(t.Context(), byKey)
	if err != nil {
		t.Fatal(err)
	}

	revoked.Store(true)
	if err := here.options.recheck(named); parley.ErrorCode(err) != parley.Unauthenticated {
		t.Errorf("an api_key that was revoked: got %v", err)
	}
}
