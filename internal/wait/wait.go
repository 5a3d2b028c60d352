// Package wait polls for a fact, with a deadline.
package wait

import (
	"context"
	"fmt"
	"time"
)

// Until asks again and again, with a pause between two questions, until the answer is
// yes, an error, or ctx ends. Then the error wraps the cause of that.
func Until(ctx context.Context, pause time.Duration, ask func() (bool, error)) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()

	for {
		yes, err := ask()
		if yes || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("gave up waiting: %w", context.Cause(ctx))
		}
	}
}

// Pause waits for a duration, or less when ctx ends, whose cause it returns.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
