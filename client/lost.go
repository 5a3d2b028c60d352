package client

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"time"

	"parley"
	"parley/plain"
)

// lost is the error of a request without an answer.
type lost struct {
	sent  bool // whether the daemon may have seen it
	cause error
}

func (l *lost) Error() string { return l.cause.Error() }
func (l *lost) Unwrap() error { return l.cause }

// unavailable is the error of a call that found no daemon.
func (c *conn) unavailable(l *lost) error {
	if e, ok := errors.AsType[*parley.Error](l.cause); ok {
		return e
	}
	cause := l.cause
	if errno, ok := errors.AsType[syscall.Errno](cause); ok {
		cause = errno // the rest repeats the address
	}
	return parley.Errorf(parley.DaemonUnavailable, "no daemon answers at %s: %w", c.where, cause).
		Suggest("Start it with `parley serve`, or look at `parley status`.")
}

// unknown is the error of a call that the daemon may have carried out.
func (c *conn) unknown(name string, l *lost) error {
	const text = "the connection to the daemon broke before %s was answered: %w"
	return parley.Errorf(parley.DaemonUnavailable, text, name, l.cause).
		Suggest("It may have been done or not: look before you call %s again.", name)
}

// foreign is the error of an answer that no parley daemon gave.
func (c *conn) foreign(status int, answer []byte) error {
	return parley.Errorf(parley.DaemonUnavailable, "what listens at %s is no parley daemon: it answered %d %s",
		c.where, status, plain.Truncate(plain.CleanLine(string(answer)), 100)).
		Suggest("Check the address; `parley status` shows the daemon's.")
}

// final converts the error of a request that is not repeated.
func (c *conn) final(err error) error {
	if l, ok := errors.AsType[*lost](err); ok {
		return c.unavailable(l)
	}
	return err
}

// hearing is how a call finds out that its daemon answers nothing, as when its process is stopped. When the call has
// had no answer for silence, a second connection asks whether the daemon answers anything, and gives it patience to do
// so. While it does, the call goes on, and the question comes again: some calls wait for minutes.
type hearing struct{ silence, patience, again time.Duration }

// patient waits as long as doctor does for a check.
var patient = hearing{silence: 3 * time.Second, patience: 10 * time.Second, again: 15 * time.Second}

// whileHeard returns a context for a request that ends with an error once the daemon answers nothing, see silenceOf.
// The caller calls heard when the answer begins, and end when the request is over.
func (c *conn) whileHeard(ctx context.Context) (_ context.Context, heard, end func()) {
	if c.hearing == nil {
		return ctx, func() {}, func() {}
	}

	ctx, cancel := context.WithCancelCause(ctx)
	asking, heard := context.WithCancel(ctx)
	timer := time.AfterFunc(c.hearing.silence, func() {
		for c.answers(asking) {
			select {
			case <-asking.Done():
				return
			case <-time.After(c.hearing.again):
			}
		}
		if asking.Err() != nil {
			return
		}
		cancel(parley.Errorf(parley.DaemonUnavailable, "the daemon at %s takes calls but answers none", c.where).
			Suggest("Its process may be stopped, or its machine overloaded: `parley doctor` looks. What was asked may " +
				"be done once it goes on: look before you repeat it."))
	})

	return ctx, heard, func() {
		timer.Stop()
		heard()
		cancel(nil)
	}
}

// silenceOf returns the error of a context that ended because the daemon answers nothing, or nil.
func silenceOf(ctx context.Context) error {
	if e, ok := errors.AsType[*parley.Error](context.Cause(ctx)); ok {
		return e
	}
	return nil
}

// answers reports whether the daemon answers anything in time. One that is gone counts: the call itself ends then.
func (c *conn) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.hearing.patience)
	defer cancel()

	req, err := http.NewRequestWithContext(ctx, http.MethodHead, c.base+"/", nil)
	if err != nil {
		return true
	}
	if resp, err := c.fresh.Do(req); err == nil {
		resp.Body.Close()
	}

	return ctx.Err() == nil
}
