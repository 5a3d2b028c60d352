package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/story"
	"parley/internal/testhome"
	"parley/internal/wait"
)

// These stories of the screen are played with the program in a real terminal.
func TestScreenStories(t *testing.T) {
	t.Parallel()
	files := must.Have(filepath.Glob("../../tui/testdata/stories/terminal/*.txt"))(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			h := testhome.New(t)
			frames := story.Play(t, file, storyTeam(t, h))
			if filepath.Base(file) == "film.txt" {
				story.CheckFilm(t, frames, "../../tui/testdata/film.frames", *update)
			}
		})
	}
}

// storyTeam starts the daemon of a home for a story.
func storyTeam(t *testing.T, h *testhome.Home) story.Team {
	t.Helper()
	info := testhome.Run[daemon.Info](t, h, "serve")
	as := func(key string) parley.Service {
		c := client.New(client.Options{Socket: info.Socket, Key: key})
		t.Cleanup(c.Close)
		return c
	}

	return story.Team{
		Dir:      h.Workspace,
		Operator: as(operatorKey),
		As:       as,
		Demo:     []string{"parley", "demo-agent"},
		Open:     func(w, h2 int) story.Screen { return openTmuxScreen(t, h, w, h2, "parley") },
		Run:      func(w, h2 int, command string) story.Screen { return openTmuxScreen(t, h, w, h2, command) },
		Acts: map[string]func(){
			"the daemon is killed":  func() { killDaemonOf(t, h) },
			"the daemon is started": func() { testhome.Run[daemon.Info](t, h, "serve") },
		},
	}
}

// killDaemonOf kills the daemon of a home, and waits until it has ended.
func killDaemonOf(t *testing.T, h *testhome.Home) {
	t.Helper()
	var info daemon.Info
	text := must.Have(os.ReadFile(placeOf(h).Info()))(t)
	must.Do(t, json.Unmarshal(text, &info))
	must.Do(t, syscall.Kill(info.PID, syscall.SIGKILL))

	ctx, stop := context.WithTimeout(t.Context(), testhome.Patience)
	defer stop()
	must.Do(t, wait.Until(ctx, 10*time.Millisecond, func() (bool, error) { return !testhome.Running(info.PID), nil }))
}

// tmuxScreen is the program in a tmux of its own.
type tmuxScreen struct {
	t      *testing.T
	home   *testhome.Home
	socket string
}

// leftWith is what the shell around the screen prints when the screen has ended well.
const leftWith = "the screen was left with 0"

func openTmuxScreen(t *testing.T, h *testhome.Home, width, height int, command string) *tmuxScreen {
	t.Helper()
	s := &tmuxScreen{t: t, home: h, socket: filepath.Join(h.Dir, "screen")}
	t.Cleanup(func() { s.tmux("kill-server") })
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		"env -u TMUX -u TMUX_PANE "+command+"; echo the screen was left with $?; exec cat")
	return s
}

func (s *tmuxScreen) tmux(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...)
	cmd.Dir, cmd.Env = s.home.Workspace, s.home.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tmuxKeys are tmux's names of keys.
var tmuxKeys = map[string]string{"enter": "Enter", "esc": "Escape", "tab": "Tab", "space": "Space", "up": "Up",
	"down": "Down", "backspace": "BSpace", "pgup": "PageUp", "pgdown": "PageDown"}

func (s *tmuxScreen) Press(keys ...string) {
	for _, key := range keys {
		if name := tmuxKeys[key]; name != "" {
			key = name
		}
		s.tmux("send-keys", strings.Replace(key, "ctrl+", "C-", 1))
	}
}

func (s *tmuxScreen) Type(text string) { s.tmux("send-keys", "-l", text) }

func (s *tmuxScreen) Paste(text string) {
	s.tmux("set-buffer", text)
	s.tmux("paste-buffer", "-p")
}

func (s *tmuxScreen) Click(x, y int) {
	s.Type(fmt.Sprintf("\x1b[<0;%[1]d;%[2]dM\x1b[<0;%[1]d;%[2]dm", x+1, y+1))
}

func (s *tmuxScreen) Resize(width, height int) {
	s.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

func (s *tmuxScreen) Look() string { return s.tmux("capture-pane", "-e", "-p") }

// Left tells what is left when the screen has ended.
func (s *tmuxScreen) Left(to string) string {
	if to == "shell" && strings.Contains(s.Look(), leftWith) {
		return leftWith
	}
	return ""
}
