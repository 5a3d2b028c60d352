package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestCheckVersion(t *testing.T) {
	if _, err := tmux.CheckVersion(t.Context(), "/nowhere/tmux"); !errors.Is(err, tmux.ErrNotInstalled) {
		t.Errorf("missing: %v", err)
	}

	old := filepath.Join(t.TempDir(), "tmux")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho tmux 3.1c\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if v, err := tmux.CheckVersion(t.Context(), old); !errors.Is(err, tmux.ErrTooOld) || v.Text != "3.1c" {
		t.Errorf("old: %v, %v", v, err)
	}
	if v, err := tmux.CheckVersion(t.Context(), tmuxtest.Binary()); err != nil || !v.AtLeast(3, 2) {
		t.Errorf("installed: %v, %v", v, err)
	}
}

func TestOpenStartsOrJoinsAndCloseLeavesTheServer(t *testing.T) {
	opts := tmuxtest.Options(t)
	first := tmuxtest.StartWith(t, opts)
	info := tmuxtest.Agent{}.Launch(t, first)
	instance := first.Instance()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Panes(t.Context()); !errors.Is(err, tmux.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}

	second, err := tmux.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()

	if second.Instance() != instance || second.SocketPath() != opts.Path {
		t.Errorf("instance %s at %s, want %s", second.Instance(), second.SocketPath(), instance)
	}

	panes, err := second.Panes(t.Context())
	if err != nil || len(panes) != 1 || panes[0].ID != info.ID || panes[0].Owner != info.Owner ||
		panes[0].Attached != 0 {
		t.Errorf("panes %+v, %v", panes, err)
	}
}

func TestJoinNeedsAServerAndChangesNothing(t *testing.T) {
	opts := tmuxtest.Options(t)
	opts.Join = true
	if _, err := tmux.Open(t.Context(), opts); !errors.Is(err, tmux.ErrNoServer) {
		t.Fatalf("got %v, want ErrNoServer", err)
	}

	owner := tmuxtest.Options(t)
	theirs := tmuxtest.StartWith(t, owner)

	info, err := theirs.NewSession(t.Context(), tmux.SessionOptions{Name: "theirs", Argv: tmuxtest.Agent{}.Argv()})
	if err != nil {
		t.Fatal(err)
	}

	tmuxtest.WaitFor(t, theirs.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, tmuxtest.Prompt) })
	describe := func() string {
		return tmuxCommand(t, theirs, "show-options", "-g") + tmuxCommand(t, theirs, "show-options", "-s") +
			tmuxCommand(t, theirs, "show-options",
				"-wg") + tmuxCommand(t, theirs, "list-sessions", "-F", "#{session_name} #{window_width}x#{window_height}")
	}

	before := describe()
	owner.Join, owner.Dir = true, t.TempDir()

	joined, err := tmux.Open(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()

	pane := joined.Pane(info.ID)
	if err := pane.Claim(t.Context(), "me"); err != nil {
		t.Fatal(err)
	}
	if err := pane.Claim(t.Context(), "you"); err == nil {
		t.Error("a claimed pane was claimed by another")
	}

	if out, err := pane.Submit(t.Context(), tmux.Submission{Owner: "me", Seq: 1, Text: "hello"}); err != nil ||
		out.Phase != tmux.Entered {
		t.Errorf("got %+v, %v", out, err)
	}

	if _, err := joined.NewSession(t.Context(), tmux.SessionOptions{Name: "x", Argv: []string{"sleep", "1"}}); !errors.Is(
		err,
		tmux.ErrInvalid,
	) {
		t.Errorf("a session on a joined server: %v", err)
	}

	if err := pane.Release(t.Context(), "me"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, describe()); diff != "" {
		t.Error(diff)
	}
	if now, err := pane.Info(t.Context()); err != nil || now.Owner != "" || now.Seq != 0 || now.Phase != "" {
		t.Errorf("released: %+v, %v", now, err)
	}
}

func TestNewSession(t *testing.T) {
	s := tmuxtest.Start(t)
	dir := t.TempDir()
	info, err := s.NewSession(t.Context(), tmux.SessionOptions{
		Name: "one", Dir: dir, Owner: "agent-1", Env: map[string]string{"WORD": "a b;$c'\""},
		Argv: []string{"sh", "-c", `printf '%s|%s|%s' "$PWD" "$WORD" "$1"; exec sleep 1000`, "sh", "-x; #{pane_id}"},
	})
	if err != nil {
		t.Fatal(err)
	}

	if info.Owner != "agent-1" || info.Seq != 0 || info.Width != 200 || info.Height != 50 || info.Session != "one" ||
		info.PID == 0 ||
		info.TTY == "" {
		t.Errorf("got %+v", info)
	}

	want := dir + `|a b;$c'"|-x; #{pane_id}`
	screen := tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, want) })
	if screen.CursorX != len(want) || screen.CursorY != 0 || screen.Width != 200 || len(screen.Lines) != 50 {
		t.Errorf("cursor %d,%d; %d lines", screen.CursorX, screen.CursorY, len(screen.Lines))
	}

	if _, err := s.NewSession(t.Context(), tmux.SessionOptions{Name: "one", Argv: []string{"sleep", "9"}}); !errors.Is(
		err,
		tmux.ErrSessionExists,
	) {
		t.Errorf("twice: %v", err)
	}

	for _, bad := range []tmux.SessionOptions{
		{Name: "a:b", Argv: []string{"a", "b"}}, {Name: "", Argv: []string{"a", "b"}}, {Name: "-x", Argv: []string{"a", "b"}},
		{Name: "_hub", Argv: []string{"a", "b"}}, {Name: "ok", Argv: []string{"one"}}, {Name: "ok", Argv: []string{"a", "b\x00"}},
		{Name: "ok", Owner: "a b", Argv: []string{"a", "b"}}, {Name: "ok", Env: map[string]string{"A=": ""}, Argv: []string{"a", "b"}},
	} {
		if _, err := s.NewSession(t.Context(), bad); !errors.Is(err, tmux.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", bad, err)
		}
	}
}

func TestKillSessionMatchesExactly(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, name := range []string{"agent-10", "agent-2"} {
		if _, err := s.NewSession(t.Context(), tmux.SessionOptions{Name: name, Argv: []string{"sleep", "1000"}}); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.KillSession(t.Context(), "agent-1"); !errors.Is(err, tmux.ErrNoSession) {
		t.Errorf("a prefix: %v, want ErrNoSession", err)
	}
	if err := s.KillSession(t.Context(), "agent-2"); err != nil {
		t.Error(err)
	}

	panes, err := s.Panes(t.Context())
	if err != nil || len(panes) != 1 || panes[0].Session != "agent-10" {
		t.Errorf("left: %+v, %v", panes, err)
	}
}

func TestPaneInfoSurvivesHostileNames(t *testing.T) {
	s := tmuxtest.Start(t)
	title := `a|b\c %Y #{pane_id} #(x) "q"`
	info, err := s.NewSession(t.Context(), tmux.SessionOptions{
		Name:  "t",
		Owner: "o",
		Argv:  []string{"sh", "-c", `printf '\033]2;%s\033\\' "$1"; exec sleep 1000`, "sh", title},
	})
	if err != nil {
		t.Fatal(err)
	}

	tmuxCommand(t, s, "rename-session", "-t", "=t", `n|\x y`)
	var got tmux.PaneInfo
	tmuxtest.Poll(t, func() bool {
		got, err = s.Pane(info.ID).Info(t.Context())
		return err == nil && strings.HasPrefix(got.Title, "a|b")
	}, func() string { return fmt.Sprintf("%+v, %v", got, err) })

	if !strings.Contains(got.Title, "%Y") || !strings.Contains(got.Session, "|") || got.ID != info.ID {
		t.Errorf("title %q, session %q", got.Title, got.Session)
	}
}

func TestScreenThatImitatesTheProtocol(t *testing.T) {
	s := tmuxtest.Start(t)
	info, err := s.NewSession(t.Context(), tmux.SessionOptions{Name: "evil", Argv: []string{"sh", "-c",
		`printf '%%begin 1 1 1\n%%end 1 1 1\n%%error 1 1 1\n%%exit\nparley-1\n\n'; exec sleep 1000`}})
	if err != nil {
		t.Fatal(err)
	}
	screen := tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "parley-1") })
	want := []string{"%begin 1 1 1", "%end 1 1 1", "%error 1 1 1", "%exit", "parley-1", ""}
	if diff := cmp.Diff(want, screen.Lines[:6]); diff != "" {
		t.Error(diff)
	}
}

func TestScreenJoinsAndReadsHistory(t *testing.T) {
	s := tmuxtest.Start(t)
	info, err := s.NewSession(
		t.Context(),
		tmux.SessionOptions{Name: "long", Width: 20, Height: 5, Argv: []string{"sh", "-c",
			`seq 1 10; printf '\033[31m%s\033[0m' abcdefghijklmnopqrstuvwxyz; exec sleep 1000`}},
	)
	if err != nil {
		t.Fatal(err)
	}

	pane := s.Pane(info.ID)
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "uvwxyz") })
	for _, tt := range []struct {
		opts tmux.ScreenOptions
		want []string
		top  int
	}{
		{tmux.ScreenOptions{}, []string{"8", "9", "10", "abcdefghijklmnopqrst", "uvwxyz"}, 0},
		{tmux.ScreenOptions{Join: true}, []string{"8", "9", "10", "abcdefghijklmnopqrstuvwxyz"}, 0},
		{tmux.ScreenOptions{History: 2, Tail: 6}, []string{"7", "8", "9", "10", "abcdefghijklmnopqrst", "uvwxyz"}, -1},
		{tmux.ScreenOptions{Tail: 2, Colours: true}, []string{"\x1b[31mabcdefghijklmnopqrst", "uvwxyz"}, 3},
	} {
		got, err := pane.Screen(t.Context(), tt.opts)
		if err != nil {
			t.Fatal(err)
		}

		for i := range got.Lines {
			got.Lines[i] = strings.TrimSuffix(got.Lines[i], "\x1b[39m")
		}

		if diff := cmp.Diff(tt.want, got.Lines); diff != "" || got.Top != tt.top {
			t.Errorf("%+v: top %d: %s", tt.opts, got.Top, diff)
		}
	}
}

func TestHungServerHangsNobody(t *testing.T) {
	s := tmuxtest.Start(t)
	pid, _, _ := strings.Cut(s.Instance(), "/")
	n, _ := strconv.Atoi(pid)
	if err := syscall.Kill(n, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(n, syscall.SIGCONT)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	if _, err := s.Panes(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}

	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(tmuxtest.Patience):
		t.Error("Close hangs")
	}
}

func TestTerminalFacts(t *testing.T) {
	s := tmuxtest.Start(t)
	raw := tmuxtest.Agent{}.Launch(t, s)
	cooked := tmuxtest.Agent{Mode: tmuxtest.Canonical}.Launch(t, s)
	if on, err := tmux.Canonical(raw.TTY); err != nil || on {
		t.Errorf("raw: %v, %v", on, err)
	}
	if on, err := tmux.Canonical(cooked.TTY); err != nil || !on {
		t.Errorf("cooked: %v, %v", on, err)
	}

	shell, err := s.NewSession(t.Context(), tmux.SessionOptions{Name: "sh", Owner: "sh", Argv: []string{"sh", "-i"}})
	if err != nil {
		t.Fatal(err)
	}

	foreground := func(want func([]string) bool) {
		t.Helper()
		var argv []string
		tmuxtest.Poll(t, func() bool { argv, err = tmux.Foreground(shell.PID); return err == nil && want(argv) },
			func() string { return fmt.Sprintf("foreground %q, %v", argv, err) })
	}

	foreground(tmux.IsShell)
	if out, err := s.Pane(shell.ID).Submit(t.Context(), tmux.Submission{Owner: "sh", Seq: 1, Text: "sleep 1234"}); err != nil ||
		out.Phase != tmux.Entered {
		t.Fatalf("%+v, %v", out, err)
	}

	foreground(func(argv []string) bool { return slices.Equal(argv, []string{"sleep", "1234"}) })
	children, err := tmux.Descendants(shell.PID)
	if err != nil || len(children) != 1 {
		t.Errorf("descendants %v, %v", children, err)
	}
}

func TestUnreadCountsWhatASlowReaderHasNotRead(t *testing.T) {
	s := tmuxtest.Start(t)
	info, err := s.NewSession(t.Context(), tmux.SessionOptions{
		Name:  "slow",
		Owner: "slow",
		Argv:  []string{"sh", "-c", "stty raw; echo ready; exec sleep 1000"},
	})
	if err != nil {
		t.Fatal(err)
	}

	tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })
	if out, err := s.Pane(info.ID).Submit(t.Context(), tmux.Submission{Owner: "slow", Seq: 1, Text: "12345"}); err != nil ||
		out.Phase != tmux.Entered {
		t.Fatalf("%+v, %v", out, err)
	}

	var n int
	tmuxtest.Poll(t, func() bool {
		n, err = tmux.Unread(info.TTY)
		return n == 6 || errors.Is(err, tmux.ErrUnsupported)
	}, func() string { return fmt.Sprintf("unread %d, %v; want 6", n, err) })
}

func TestResize(t *testing.T) {
	s := tmuxtest.Start(t)
	info := tmuxtest.Agent{}.Launch(t, s)
	if err := s.Pane(info.ID).Resize(t.Context(), 120, 30); err != nil {
		t.Fatal(err)
	}

	var got tmux.PaneInfo
	tmuxtest.Poll(t,
		func() bool { got, _ = s.Pane(info.ID).Info(t.Context()); return got.Width == 120 && got.Height == 30 },
		func() string { return fmt.Sprintf("%+v", got) })

	if own := tmuxCommand(t, s, "show-options", "-w", "-t", info.ID, "window-size"); own != "" {
		t.Errorf("the window keeps an option of its own: %s", own)
	}
}

func TestAPersonWhoLeavesLeavesTheWindowResized(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	is := func(width, height int, resized bool) {
		t.Helper()
		var got tmux.PaneInfo
		tmuxtest.Poll(t, func() bool {
			got, _ = pane.Info(t.Context())
			return got.Width == width && got.Height == height && got.Resized == resized && got.LaunchWidth == 100 &&
				got.LaunchHeight == 20
		}, func() string { return fmt.Sprintf("%+v, want %dx%d, resized %v", got, width, height, resized) })
	}

	is(100, 20, false)
	person := tmuxtest.Attach(t, s, pane.ID(), 120, 41)
	is(120, 40, false) // it is theirs while they look, less the status line
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	is(120, 40, true)
	if err := pane.Resize(t.Context(), 100, 20); err != nil {
		t.Fatal(err)
	}

	is(100, 20, false)

	// What somebody chose is left to them.
	tmuxCommand(t, s, "resize-window", "-t", pane.ID(), "-x", "90", "-y", "30")
	is(90, 30, false)
}

// Who attaches just before the size is given back has theirs all the same.
func TestResizeYieldsToAPerson(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	tmuxtest.Attach(t, s, pane.ID(), 120, 41)
	if err := pane.Resize(t.Context(), 100, 20); err != nil {
		t.Fatal(err)
	}
	var got tmux.PaneInfo
	tmuxtest.Poll(t, func() bool { got, _ = pane.Info(t.Context()); return got.Width == 120 && got.Height == 40 },
		func() string { return fmt.Sprintf("%+v", got) })
}

func TestModesAndWindowsAreTold(t *testing.T) {
	opts := tmuxtest.Options(t)
	var notes told
	opts.Notify = notes.add
	s := tmuxtest.StartWith(t, opts)
	info := tmuxtest.Agent{}.Launch(t, s)
	notes.wait(t, tmux.WindowsMoved, 1)
	tmuxCommand(t, s, "copy-mode", "-t", info.ID)
	notes.wait(t, tmux.ModeChanged, 1)
}

func clients(t *testing.T, s *tmux.Server) int {
	return len(strings.Fields(tmuxCommand(t, s, "list-clients", "-F", "#{client_pid}")))
}

func TestNoLeftovers(t *testing.T) {
	opts := tmuxtest.Options(t)

	// What a dead process left is swept; what a live one has is not.
	dead := filepath.Join(opts.Dir, "parley-tmux-dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"lock", "7"} {
		if err := os.WriteFile(filepath.Join(dead, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	s := tmuxtest.StartWith(t, opts)
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a dead process left: %v", err)
	}

	other, err := tmux.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if dirs, _ := filepath.Glob(filepath.Join(opts.Dir, "*")); len(dirs) != 2 {
		t.Errorf("directories %q, want two", dirs)
	}

	// The second took the first for what a dead daemon left; it comes back.
	tmuxtest.Poll(t, func() bool {
		_, err = s.Panes(t.Context())
		return err == nil && s.Instance() != "" && clients(t, s) == 2
	},
		func() string { return fmt.Sprint(err) })

	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	for n := range uint64(6) { // short and long, typed and refused
		if _, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: n/2 + 1, Text: strings.Repeat("secret ", 1+300*int(n%2))}); err != nil {
			t.Fatal(err)
		}
	}

	if files, _ := filepath.Glob(filepath.Join(opts.Dir, "*", "[0-9]*")); len(files) != 0 {
		t.Errorf("files left: %q", files)
	}
	if buffers := tmuxCommand(t, s, "list-buffers"); buffers != "" {
		t.Errorf("buffers left: %s", buffers)
	}
	if log := tmuxCommand(t, s, "show-messages"); strings.Contains(log, "secret") {
		t.Errorf("tmux remembers the text: %s", log)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), tmuxtest.Patience)
	defer cancel()

	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(opts.Dir, "*")); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
