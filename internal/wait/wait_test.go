package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/wait"
)

func TestUntilAsksUntilYes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, start := 0, time.Now()
		err := wait.Until(t.Context(), time.Second, func() (bool, error) {
			asked++
			return asked == 3, nil
		})
		if took := time.Since(start); err != nil || asked != 3 || took != 2*time.Second {
			t.Errorf("asked %d times in %v, %v; want 3 times in 2s", asked, took, err)
		}
	})
}

func TestUntilEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := wait.Until(ctx, time.Second, func() (bool, error) { return false, nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the context", err)
		}
		if err := wait.Pause(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a pause ends with %v, want the end of the context", err)
		}
	})
}

func TestUntilReturnsErrors(t *testing.T) {
	broken := errors.New("broken")
	if err := wait.Until(t.Context(), time.Hour, func() (bool, error) { return false, broken }); err != broken {
		t.Errorf("got %v, want %v", err, broken)
	}
}
