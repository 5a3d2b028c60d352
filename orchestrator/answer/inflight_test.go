package answer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/must"
)

func TestLaterMessageWaitsForTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f inflight
		release := must.Have(f.acquire(t.Context(), "ada", "DM", 2))(t)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.acquire(ctx, "ada", "DM", 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("in the same conversation: got %v, want %v", err, context.DeadlineExceeded)
		}

		other := must.Have(f.acquire(t.Context(), "bob", "DM", 2))(t)

		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.acquire(ctx, "cleo", "DM", 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third call to the model: got %v, want %v", err, context.DeadlineExceeded)
		}

		other()
		release()
		if _, err := f.acquire(t.Context(), "ada", "DM", 2); err != nil {
			t.Errorf("after the first: %v", err)
		}
	})
}

func TestStopBreaksOffCallsAndRefusesNewOnes(t *testing.T) {
	var f inflight
	c, first, err := f.begin("a message")
	if err != nil || !first {
		t.Fatalf("the first call: %v, %v", first, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	forget := f.cancelOnStop(cancel)
	f.stop()
	if ctx.Err() == nil {
		t.Error("the call goes on")
	}

	forget()
	f.end("a message", c)
	if _, _, err := f.begin("another"); parley.ErrorCode(err) != parley.ModelUnavailable {
		t.Errorf("a call after the stop: got %v, want %s", err, parley.ModelUnavailable)
	}

	late, cancel := context.WithCancel(t.Context())
	f.cancelOnStop(cancel)
	if late.Err() == nil {
		t.Error("a call that asks its model after the stop goes on")
	}
}
