package tmux_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestPaneInfoSurvivesHostileNames(t *testing.T) {
	s := tmuxtest.Start(t)
	title := `a|b\c %Y #{pane_id} #(x) "q"`
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name:  "t",
		Owner: "o",
		Argv:  []string{"sh", "-c", `printf '\033]2;%s\033\\' "$1"; exec sleep 1000`, "sh", title},
	}))(t)

	tmuxCommand(t, s, "rename-session", "-t", "=t", `n|\x y`)
	var got tmux.PaneInfo
	var err error
	tmuxtest.Poll(t, func() bool {
		got, err = s.Pane(info.ID).Info(t.Context())
		return err == nil && strings.HasPrefix(got.Title, "a|b")
	}, func() string { return fmt.Sprintf("%+v, %v", got, err) })

	if !strings.Contains(got.Title, "%Y") || !strings.Contains(got.Session, "|") || got.ID != info.ID {
		t.Errorf("title %q, session %q", got.Title, got.Session)
	}
}

func TestResize(t *testing.T) {
	s := tmuxtest.Start(t)
	info := tmuxtest.Agent{}.Launch(t, s)
	must.Do(t, s.Pane(info.ID).Resize(t.Context(), 120, 30))

	var got tmux.PaneInfo
	tmuxtest.Poll(t,
		func() bool { got, _ = s.Pane(info.ID).Info(t.Context()); return got.Width == 120 && got.Height == 30 },
		func() string { return fmt.Sprintf("%+v", got) })

	if own := tmuxCommand(t, s, "show-options", "-w", "-t", info.ID, "window-size"); own != "" {
		t.Errorf("the window keeps its option: %s", own)
	}
}

func TestWindowStaysResizedAfterAPersonLeaves(t *testing.T) {
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
	is(120, 40, false) // the person's size, less the status line
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	is(120, 40, true)
	must.Do(t, pane.Resize(t.Context(), 100, 20))

	is(100, 20, false)

	// A size that somebody chose does not count as resized.
	tmuxCommand(t, s, "resize-window", "-t", pane.ID(), "-x", "90", "-y", "30")
	is(90, 30, false)
}

// A person who attaches just before Resize keeps the size of their terminal.
func TestResizeYieldsToAPerson(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	tmuxtest.Attach(t, s, pane.ID(), 120, 41)
	must.Do(t, pane.Resize(t.Context(), 100, 20))
	var got tmux.PaneInfo
	tmuxtest.Poll(t, func() bool { got, _ = pane.Info(t.Context()); return got.Width == 120 && got.Height == 40 },
		func() string { return fmt.Sprintf("%+v", got) })
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

	options := tmux.SessionOptions{Name: "sh", Owner: "sh", Argv: []string{"sh", "-i"}}
	shell := must.Have(s.NewSession(t.Context(), options))(t)

	foreground := func(want func([]string) bool) {
		t.Helper()
		var argv []string
		var err error
		tmuxtest.Poll(t, func() bool { argv, err = tmux.Foreground(shell.PID); return err == nil && want(argv) },
			func() string { return fmt.Sprintf("foreground %q, %v", argv, err) })
	}

	foreground(func(argv []string) bool { return slices.Equal(argv, []string{"sh", "-i"}) })
	enters(t, s.Pane(shell.ID), tmux.Submission{Owner: "sh", Seq: 1, Text: "sleep 1234"})
	foreground(func(argv []string) bool { return slices.Equal(argv, []string{"sleep", "1234"}) })
	children, err := tmux.Descendants(shell.PID)
	if err != nil || len(children) != 1 {
		t.Errorf("descendants %v, %v", children, err)
	}
}

func TestUnreadCountsWhatASlowReaderHasNotRead(t *testing.T) {
	s := tmuxtest.Start(t)
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name:  "slow",
		Owner: "slow",
		Argv:  []string{"sh", "-c", "stty raw; echo ready; exec sleep 1000"},
	}))(t)

	tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "ready") })
	enters(t, s.Pane(info.ID), tmux.Submission{Owner: "slow", Seq: 1, Text: "12345"})
	var n int
	var err error
	tmuxtest.Poll(t, func() bool {
		n, err = tmux.Unread(info.TTY)
		return n == 6 || errors.Is(err, tmux.ErrUnsupported)
	}, func() string { return fmt.Sprintf("unread %d, %v; want 6", n, err) })
}
