package tmux_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestNewSession(t *testing.T) {
	s := tmuxtest.Start(t)
	dir := t.TempDir()
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: "one", Dir: dir, Owner: "agent-1", Env: map[string]string{"WORD": "a b;$c'\""},
		Argv: []string{"sh", "-c", `printf '%s|%s|%s' "$PWD" "$WORD" "$1"; exec sleep 1000`, "sh", "-x; #{pane_id}"},
	}))(t)

	if info.Owner != "agent-1" || info.Seq != 0 || info.Width != 200 || info.Height != 50 ||
		info.Session != "one" || info.PID == 0 || info.TTY == "" {
		t.Errorf("got %+v", info)
	}

	want := dir + `|a b;$c'"|-x; #{pane_id}`
	screen := tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, want) })
	if screen.CursorX != len(want) || screen.CursorY != 0 || screen.Width != 200 || len(screen.Lines) != 50 {
		t.Errorf("cursor %d,%d; %d lines", screen.CursorX, screen.CursorY, len(screen.Lines))
	}

	_, err := s.NewSession(t.Context(), tmux.SessionOptions{Name: "one", Argv: []string{"sleep", "9"}})
	if !errors.Is(err, tmux.ErrSessionExists) {
		t.Errorf("twice: %v", err)
	}

	two := []string{"a", "b"}
	for _, bad := range []tmux.SessionOptions{
		{Name: "a:b", Argv: two}, {Name: "", Argv: two}, {Name: "-x", Argv: two}, {Name: "_hub", Argv: two},
		{Name: "ok", Argv: []string{"one"}}, {Name: "ok", Argv: []string{"a", "b\x00"}},
		{Name: "ok", Owner: "a b", Argv: two}, {Name: "ok", Env: map[string]string{"A=": ""}, Argv: two},
	} {
		if _, err := s.NewSession(t.Context(), bad); !errors.Is(err, tmux.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", bad, err)
		}
	}
}

// tmux takes a directory for a format, in which #W is a window's name and #(…) a command of the shell.
func TestNewSessionTakesADirectoryAsItIsCalled(t *testing.T) {
	s := tmuxtest.Start(t)
	parent := t.TempDir()
	for i, name := range []string{"#Work", "C#", "##x", "a#{pane_id}b", "#[fg=red]", "#(exit)", "100%H", "~"} {
		dir := filepath.Join(parent, name)
		must.Do(t, os.Mkdir(dir, 0o700))
		session := fmt.Sprintf("in-%d", i)
		info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
			Name: session, Dir: dir, Width: 1000, Argv: []string{"sh", "-c", `printf '%s.' "$PWD"; exec sleep 1000`},
		}))(t)
		tmuxtest.WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, dir+".") })
	}
}

func TestKillSessionMatchesExactly(t *testing.T) {
	s := tmuxtest.Start(t)
	for _, name := range []string{"agent-10", "agent-2"} {
		opts := tmux.SessionOptions{Name: name, Owner: "id-" + name, Argv: []string{"sleep", "1000"}}
		must.Have(s.NewSession(t.Context(), opts))(t)
	}

	if err := s.KillSession(t.Context(), "agent-1", "id-agent-1"); !errors.Is(err, tmux.ErrNoSession) {
		t.Errorf("a prefix: %v, want ErrNoSession", err)
	}
	for _, owner := range []string{"id-agent-10", "2", "agent-2"} {
		if err := s.KillSession(t.Context(), "agent-2", owner); !errors.Is(err, tmux.ErrOtherSession) {
			t.Errorf("for %s: %v, want ErrOtherSession", owner, err)
		}
	}
	if err := s.KillSession(t.Context(), "agent-2", "id-agent-2"); err != nil {
		t.Error(err)
	}

	panes, err := s.Panes(t.Context())
	if err != nil || len(panes) != 1 || panes[0].Session != "agent-10" {
		t.Errorf("left: %+v, %v", panes, err)
	}
}
