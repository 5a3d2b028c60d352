package tmux_test

import (
	"errors"
	"syscall"
	"testing"

	"parley/tmux"
)

func TestShortagesOfTheSystemAreTold(t *testing.T) {
	for text, want := range map[string]error{
		"create window failed: fork failed: Resource temporarily unavailable": syscall.EAGAIN,
		"create session failed: fork failed: Cannot allocate memory":          syscall.ENOMEM,
		"create window failed: Too many open files":                           syscall.EMFILE,
	} {
		if err := error(&tmux.CommandError{Text: text}); !errors.Is(err, want) {
			t.Errorf("%s: it is not told as %v", text, want)
		}
	}
	if err := (&tmux.CommandError{Text: "create window failed: no space for new pane"}); err.Unwrap() != nil {
		t.Errorf("%v: got %v", err, err.Unwrap())
	}
}
