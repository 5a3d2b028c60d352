package parley_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"parley"
)

func TestShortagesAreNamed(t *testing.T) {
	opening := fmt.Errorf("open it: %w", &os.PathError{Op: "open", Path: "/x", Err: syscall.EMFILE})
	e := parley.Exhausted(parley.TmuxUnavailable, opening)
	if e == nil || e.Code != parley.TmuxUnavailable || !strings.Contains(e.Action, "ulimit -n") ||
		!errors.Is(e, syscall.EMFILE) {
		t.Errorf("too many open files: %+v", e)
	}
	if e := parley.Exhausted(parley.TmuxUnavailable, syscall.ENOENT); e != nil {
		t.Errorf("a missing file: %+v", e)
	}
}
