package tmux

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// settle waits until the text shows and the screen is quiet.
func (d *delivery) settle(ctx context.Context) error {
	if d.Shown == nil && d.Settle <= 0 {
		return nil
	}
	return d.watch(ctx, d.ShowWithin, d.settledTest())
}

// settledTest returns a test that says Yes once Shown says Yes and the screen has been
// quiet for Settle.
func (d *delivery) settledTest() func(Screen) Look {
	var last string     // the part that must be quiet
	var since time.Time // last is unchanged since then; zero: the text does not show
	return func(s Screen) Look {
		if d.Shown != nil {
			if look := d.Shown(s); look != Yes {
				since = time.Time{}
				return look
			}
		}

		now := time.Now()
		if seen := d.steady(s); since.IsZero() || seen != last {
			last, since = seen, now
		}
		if now.Sub(since) >= d.Settle {
			return Yes
		}

		return Wait
	}
}

// steady returns the part of the screen that must be quiet.
func (d *delivery) steady(s Screen) string {
	if d.Steady != nil {
		return d.Steady(s)
	}
	return fmt.Sprint(s.CursorX, s.CursorY, "\n", s.Text())
}

// watch reads the screen until look says Yes or Stop, for at most within.
func (d *delivery) watch(ctx context.Context, within time.Duration, look func(Screen) Look) error {
	for deadline := time.Now().Add(within); ; {
		screen, err := d.pane.Screen(ctx, d.View)
		if errors.Is(err, ErrNoPane) {
			return d.withhold(Gone, "the pane is gone")
		}
		if err != nil {
			return err
		}

		d.out.Screen = screen.Lines
		if screen.Dead {
			return d.withhold(Dead, "the program has ended")
		}

		switch look(screen) {
		case Yes:
			return nil
		case Stop:
			return d.withhold(Blocked, "something opened in front of the text")
		}

		left := time.Until(deadline)
		if left <= 0 {
			return d.timedOut(within)
		}
		if err := pause(ctx, min(left, lookEvery)); err != nil {
			return err
		}
	}
}

func (d *delivery) timedOut(within time.Duration) error {
	if d.out.Phase == Pasted {
		return d.withhold(NotShown, fmt.Sprintf("the text did not show and settle within %v", within))
	}
	return d.withhold(NotTaken, fmt.Sprintf("the program did not take the text within %v", within))
}

// confirm waits until the program has taken the text, and presses the key once more
// if it provably has not.
func (d *delivery) confirm(ctx context.Context) error {
	entered := time.Now()
	var failed error
	err := d.watch(ctx, d.TakenWithin, func(s Screen) Look {
		look := d.Taken(s)
		if look == Wait && d.Stuck != nil && !d.out.Again && time.Since(entered) >= d.StuckAfter && d.Stuck(s) {
			if failed = d.pressAgain(ctx); failed != nil {
				return Stop
			}
		}

		return look
	})
	if failed != nil {
		return failed
	}
	if err == nil {
		d.out.Phase, d.out.TakenAt = Taken, time.Now()
	}

	return err
}

func (d *delivery) pressAgain(ctx context.Context) error {
	if d.Ready != nil && d.Ready() != nil {
		return nil // the caller may be ready at the next look
	}

	refusal, detail, err := d.press(ctx, phaseEntered, phaseAgain)
	switch {
	case err != nil:
		return err
	case refusal == InMode, refusal == Touched:
		return nil
	case refusal != NoRefusal:
		return d.withhold(refusal, detail)
	}

	d.out.Again = true

	return nil
}
