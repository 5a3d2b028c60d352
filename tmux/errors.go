package tmux

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// The errors that callers tell apart with errors.Is.
var (
	ErrNotInstalled  = errors.New("tmux is not installed")
	ErrTooOld        = errors.New("tmux is too old (parley needs 3.3 or later)")
	ErrNoServer      = errors.New("no tmux server is running there")
	ErrNoSocket      = errors.New("the tmux server runs, and does not make its socket again")
	ErrNoPane        = errors.New("the pane does not exist")
	ErrNoSession     = errors.New("the session does not exist")
	ErrClaimed       = errors.New("the pane belongs to another agent")
	ErrSessionExists = errors.New("a session of that name exists")
	ErrOtherSession  = errors.New("the session of that name is not the agent's")
	ErrDisconnected  = errors.New("the connection to tmux broke")
	ErrClosed        = errors.New("the tmux server handle is closed")
	ErrUnsafeText    = errors.New("the text cannot be typed safely")
	ErrInvalid       = errors.New("invalid argument")
	ErrNoBody        = errors.New("tmux could not read the text to paste")
	ErrUnsupported   = errors.New("not supported on this system")
)

// CommandError is tmux's own error for a command that it refused.
type CommandError struct {
	Text string // what tmux printed, one line
}

func (e *CommandError) Error() string { return "tmux: " + e.Text }

// Unwrap returns the sentinel error for the refusal, nil for one not listed above.
func (e *CommandError) Unwrap() error { return classify(e.Text) }

// classify returns the sentinel error for an error text of tmux, nil for an unknown
// text. The protocol carries no codes, so this is the one place that reads the text.
func classify(text string) error {
	switch {
	case strings.HasPrefix(text, "can't find pane"),
		strings.HasPrefix(text, "can't find window"),
		strings.HasPrefix(text, "no such pane"):
		return ErrNoPane
	case strings.HasPrefix(text, "can't find session"), strings.HasPrefix(text, "session not found"):
		return ErrNoSession
	case strings.HasPrefix(text, "duplicate session"):
		return ErrSessionExists
	case strings.HasPrefix(text, "no buffer"), strings.HasPrefix(text, "unknown buffer"):
		return ErrNoBody
	case strings.HasPrefix(text, "no server running"), strings.HasPrefix(text, "error connecting to"),
		strings.HasPrefix(text, "no sessions"), strings.HasPrefix(text, "no current session"):
		return ErrNoServer
	}

	return shortage(text)
}

// shortage returns the system's error that ends a text such as "fork failed: Resource temporarily
// unavailable", if the system has run out of something.
func shortage(text string) error {
	_, cause, _ := strings.Cut(text, " failed: ")
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if strings.EqualFold(cause, errno.Error()) || strings.HasSuffix(strings.ToLower(cause), ": "+errno.Error()) {
			return errno
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
