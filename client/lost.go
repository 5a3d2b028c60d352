package client

import (
	"errors"
	"syscall"

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
