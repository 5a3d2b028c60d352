package tmux_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestInspectListsAlteredOptions(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	got, err := tmux.Inspect(t.Context(), opts.Binary, opts.Path, opts.Env)
	if err != nil || got.Version != s.Version() || len(got.Altered) != 0 ||
		!strings.HasPrefix(s.Instance(), strconv.Itoa(got.PID)+"/") {
		t.Fatalf("got %+v, %v, want %v of %s, nothing altered", got, err, s.Version(), s.Instance())
	}

	tmuxCommand(t, s, "set-option", "-wg", "remain-on-exit", "off", ";", "set-option", "-s", "escape-time", "50")
	got, err = tmux.Inspect(t.Context(), opts.Binary, opts.Path, opts.Env)
	if want := []string{"escape-time is 50", "remain-on-exit is off"}; err != nil || !cmp.Equal(got.Altered, want) {
		t.Errorf("got %q, %v, want %q", got.Altered, err, want)
	}
}

func TestInspectTellsHistoryFromOtherMemory(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	inspect := func() tmux.Inspection {
		return must.Have(tmux.Inspect(t.Context(), opts.Binary, opts.Path, opts.Env))(t)
	}

	before := inspect()
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: "lines", Owner: "lines", Width: 80, Height: 24, Argv: []string{"sh", "-c", "seq 1500; echo end; cat"},
	}))(t)
	tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "end") })

	after := inspect()
	if grown := after.History - before.History; grown < 1500*5 || after.Memory < after.History {
		t.Errorf("%d bytes of history more, want 1500 lines; all is %d", grown, after.Memory)
	}
}

func TestInspectStartsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if _, err := tmux.Inspect(t.Context(), tmuxtest.Binary(), path, nil); !errors.Is(err, tmux.ErrNoServer) {
		t.Errorf("got %v, want ErrNoServer", err)
	}
	if _, err := tmux.Inspect(t.Context(), "/nowhere/tmux", path, nil); !errors.Is(err, tmux.ErrNotInstalled) {
		t.Errorf("got %v, want ErrNotInstalled", err)
	}
}

func TestInspectGivesUpOnAHungServer(t *testing.T) {
	opts := tmuxtest.Options(t)
	tmuxtest.StartWith(t, opts)
	i := must.Have(tmux.Inspect(t.Context(), opts.Binary, opts.Path, opts.Env))(t)
	must.Do(t, syscall.Kill(i.PID, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(i.PID, syscall.SIGCONT) }()

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()

	if _, err := tmux.Inspect(ctx, opts.Binary, opts.Path, opts.Env); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
}

func TestKnownFaultsFollowTheVersion(t *testing.T) {
	for _, test := range []struct {
		v           tmux.Version
		facts       int
		recommended bool
	}{
		{tmux.Version{Major: 3, Minor: 3}, 3, false},
		{tmux.Version{Major: 3, Minor: 5}, 2, false},
		{tmux.Version{Major: 3, Minor: 6}, 2, true},
		{tmux.Version{Major: 3, Minor: 8}, 0, true},
	} {
		if facts := test.v.Known(); len(facts) != test.facts || test.v.Recommended() != test.recommended {
			t.Errorf("%d.%d: got %q, recommended %v", test.v.Major, test.v.Minor, facts, test.v.Recommended())
		}
	}
}

func TestProcessesAreStartedInTheirOrder(t *testing.T) {
	var last time.Time
	for range 3 {
		cmd := exec.Command("cat")
		input := must.Have(cmd.StdinPipe())(t)

		before := time.Now()
		must.Do(t, cmd.Start())

		at, ok := tmux.StartedAt(cmd.Process.Pid)
		_ = input.Close()
		_ = cmd.Wait()
		if !ok && runtime.GOOS != "linux" {
			t.Skip("this system does not tell it")
		}

		// Both the start and the clock are told in hundredths of a second.
		if !ok || at.Before(before.Add(-10*time.Millisecond)) || at.After(time.Now()) ||
			at.Before(last.Add(-time.Millisecond)) {
			t.Errorf("it was started at %v (%v), want after %v and the last at %v", at, ok, before, last)
		}
		last = at
	}

	if at, ok := tmux.StartedAt(0); ok {
		t.Errorf("no process was started at %v", at)
	}
}
