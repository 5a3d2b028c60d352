package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/testhome"
	"parley/internal/wait"
)

// patience bounds every wait for the screen or the log.
const patience = 60 * time.Second

// prompt is how the shell shows that it is there.
const prompt = "ready$ "

// stage is a terminal with the agent, which runs in a shell as a person would start it.
type stage struct {
	home   *testhome.Home
	socket string // of the terminal's tmux server
	target string // the terminal, as tmux names it
	log    string // what the agent was given
	harm   string // exists if the shell ran a message
	work   string // how long the agent thinks about a prompt
}

// open sets a stage up.
func open(ctx context.Context, work string) (*stage, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	home, err := testhome.At(dir)
	if err != nil {
		return nil, err
	}

	s := &stage{
		home: home, socket: filepath.Join(home.Dir, "tmux"), target: "s", log: filepath.Join(dir, "log"),
		harm: filepath.Join(dir, "harm"), work: work,
	}
	if _, err := s.tmux("-f", "/dev/null", "new-session", "-d", "-s", s.target, "-x", "120", "-y", "40", "-c", dir,
		shell); err != nil {
		return s, err
	}

	return s, s.start(ctx)
}

// shell runs the shell in which the agent runs.
const shell = "env 'PS1=" + prompt + "' sh"

// move plays the scenes in another terminal, where a shell runs.
func (s *stage) move(ctx context.Context, socket, target string) error {
	if _, err := s.tmux("kill-server"); err != nil {
		return err
	}
	s.socket, s.target = socket, target
	return s.start(ctx)
}

func (s *stage) close() error {
	_, _ = s.tmux("kill-server") // it may be gone
	return errors.Join(s.home.End(), os.RemoveAll(s.home.Workspace))
}

// start starts the agent in the shell, and waits until it is ready.
func (s *stage) start(ctx context.Context) error {
	program, err := exec.LookPath("parley") // the shell of a terminal that a tool has started can have another PATH
	if err != nil {
		return err
	}
	agent := "clear; " + program + " demo-agent --work " + s.work + " --dialog-on 'please ask' --log " + s.log
	if err := s.keys(agent, "Enter"); err != nil {
		return err
	}
	return s.shows(ctx, "Type a message")
}

// command returns a run of a program in the stage's environment.
func (s *stage) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = s.home.Env, s.home.Workspace
	return cmd
}

func (s *stage) tmux(args ...string) (string, error) {
	out, err := s.command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// keys types a text, and presses keys after it.
func (s *stage) keys(text string, keys ...string) error {
	if text != "" {
		if _, err := s.tmux("send-keys", "-t", s.target, "-l", text); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := s.tmux(append([]string{"send-keys", "-t", s.target}, keys...)...)
	return err
}

// shows waits until the screen has a text.
func (s *stage) shows(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	screen := ""
	err := wait.Until(ctx, 20*time.Millisecond, func() (has bool, err error) {
		screen, err = s.tmux("capture-pane", "-p", "-t", s.target)
		return strings.Contains(screen, text), err
	})
	if err != nil {
		return fmt.Errorf("the screen has no %q: %w\n%s", text, err, screen)
	}
	return nil
}

// logged returns what the agent was given from a position of its log, and the position after that.
func (s *stage) logged(from int) ([]entry, int, error) {
	text, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		return nil, from, err
	}

	var entries []entry
	for line := range bytes.Lines(text[from:]) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, from, err
		}
		entries = append(entries, e)
	}

	return entries, len(text), nil
}
