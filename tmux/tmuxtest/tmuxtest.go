// Package tmuxtest starts private tmux servers for tests, with fake agents that log every
// text they receive, so that a test can prove exactly-once delivery. It also has the two
// baselines of the benchmarks.
package tmuxtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/wait"
	"parley/tmux"
)

// Patience is how long helpers wait for a fact before they fail the test.
const Patience = must.Patience

// Binary is the tmux under test: $PARLEY_TMUX, or "tmux".
func Binary() string {
	if b := os.Getenv("PARLEY_TMUX"); b != "" {
		return b
	}
	return "tmux"
}

// Options returns the options of a private server in a new directory with a short path,
// which the end of the test removes. The server does not see $TMUX and $TMUX_PANE.
func Options(t testing.TB) tmux.Options {
	t.Helper()
	if _, err := tmux.CheckVersion(t.Context(), Binary()); err != nil {
		t.Skipf("no tmux to test with: %v", err)
	}
	return tmux.Options{
		Binary: Binary(), Path: filepath.Join(shortDir(t, "/tmp"), "s"), Dir: shortDir(t, must.Memory()),
		Env: append(os.Environ(), "SHELL=/bin/sh", "LANG=C.UTF-8"),
		View: tmux.View{Mouse: true, Keys: true, Clipboard: "on", Status: true, History: 10000,
			NextKey: "F9", PreviousKey: "F8"},
	}
}

// shortDir makes a directory with a short path: the path of a socket is limited to 107
// bytes (103 on macOS), and t.TempDir may use them up.
func shortDir(t testing.TB, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "parleytest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Start starts a private server. The end of the test kills the server, and fails the test
// if files of it are left.
func Start(t testing.TB) *tmux.Server {
	t.Helper()
	return StartWith(t, Options(t))
}

// StartWith is Start with options that Options made and the test has changed.
func StartWith(t testing.TB, opts tmux.Options) *tmux.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	s, err := tmux.Open(ctx, opts)
	if err != nil {
		t.Fatalf("open tmux: %v", err)
	}
	t.Cleanup(func() { stop(t, s, opts) })
	return s
}

func stop(t testing.TB, s *tmux.Server, opts tmux.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("shut down: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(opts.Dir, "*")); len(left) > 0 {
		t.Errorf("files left: %q", left)
	}
}

// Name returns a unique session or owner name.
func Name(prefix string) string {
	b := make([]byte, 4)
	rand.Read(b)
	return prefix + "-" + hex.EncodeToString(b)
}

// WaitFor reads the pane until ok accepts its screen, and returns that screen. After
// Patience it fails the test and prints the last screen.
func WaitFor(t testing.TB, p *tmux.Pane, ok func(tmux.Screen) bool) tmux.Screen {
	t.Helper()
	var last tmux.Screen
	var lastErr error
	Poll(t, func() bool {
		screen, err := p.Screen(t.Context(), tmux.ScreenOptions{})
		if lastErr = err; err != nil {
			return false
		}
		last = screen
		return ok(screen)
	}, func() string {
		return "last screen of " + p.ID() + ":\n" + strings.TrimRight(last.Text(), "\n") + errText(lastErr)
	})

	return last
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return "\nlast error: " + err.Error()
}

// Poll waits until ok returns true. After Patience it fails the test with the text that
// seen returns.
func Poll(t testing.TB, ok func() bool, seen func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := wait.Until(ctx, 20*time.Millisecond, func() (bool, error) { return ok(), nil }); err != nil {
		t.Fatalf("%v: %s", err, seen())
	}
}
