package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/errand"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/program/profile"
	"parley/tmux"
)

// maxTempDir is the longest directory, in bytes, in which the path of tmux's socket is short enough.
const maxTempDir = 64

// stage is a terminal that nobody else uses, with the program in it.
type stage struct {
	scratch string
	dir     string // where the program runs
	script  profile.Scripted
	server  *tmux.Server
	pane    *tmux.Pane
	leader  int  // what tmux started in the pane
	opened  bool // the program's own door was opened
}

// makeScratch makes the directory of a trial in the user's cache: Gemini CLI takes no settings out of /tmp.
func makeScratch() (dir string, err error) {
	parents := []string{os.TempDir(), "/tmp"}
	if cache, err := os.UserCacheDir(); err == nil && os.MkdirAll(cache, 0o700) == nil {
		parents = slices.Insert(parents, 0, cache)
	}
	short := slices.IndexFunc(parents, func(dir string) bool { return len(dir) <= maxTempDir })
	return os.MkdirTemp(parents[short], "parley-check-")
}

// private returns the directory of what the program is handed over.
func (s *stage) private() string { return terminal.PrivateDir(s.scratch, session) }

// stage starts the program. A record function gets its terminal before the program begins.
func (o *Options) stage(ctx context.Context, record func(p *tmux.Pane, scratch string) error) (s *stage, err error) {
	s = new(stage)
	if s.scratch, err = makeScratch(); err != nil {
		return nil, fmt.Errorf("make a directory for the trial: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	dir := o.Dir
	if dir == "" {
		dir = filepath.Join(s.scratch, "work")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory for the trial: %w", err)
		}
	}
	if s.dir, err = filepath.EvalSymlinks(dir); err != nil { // as the program names it
		return nil, fmt.Errorf("find the directory of the trial: %w", err)
	}

	argv, env, err := s.command(o)
	if err != nil {
		return nil, err
	}
	gate := filepath.Join(s.scratch, "begin")
	argv = append([]string{"sh", "-c", gated, "sh", gate}, argv...)
	s.server, err = tmux.Open(ctx, tmux.Options{
		Path: filepath.Join(s.scratch, "tmux"), Dir: s.scratch, Env: append(env, errand.Mark),
	})
	if err != nil {
		return nil, parley.Errorf(parley.TmuxUnavailable, "start a terminal for the trial: %w", err).
			Suggest("Run parley doctor.")
	}

	pane, err := s.server.NewSession(ctx, tmux.SessionOptions{
		Name: session, Owner: session, Dir: s.dir, Width: o.Width, Height: o.Height, Argv: argv,
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Program, err)
	}
	s.pane, s.leader = s.server.Pane(pane.ID), pane.PID
	if record != nil {
		if err := record(s.pane, s.scratch); err != nil {
			return nil, err
		}
	}

	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Program, err)
	}
	return s, s.begun(ctx, gate)
}

const (
	// begins is how long a shell may take to start.
	begins = 30 * time.Second
	// session names the terminal of a trial.
	session = "check"
	// gated waits for a file, removes it and becomes the program.
	gated = `until [ -e "$1" ]; do sleep 0.05; done; rm -f -- "$1"; shift; exec "$@"`
)

// begun waits until the program takes over its terminal.
func (s *stage) begun(ctx context.Context, gate string) error {
	limit, cancel := context.WithTimeout(ctx, begins)
	defer cancel()
	err := wait.Until(limit, lookEvery, func() (bool, error) {
		_, err := os.Stat(gate)
		return errors.Is(err, os.ErrNotExist), nil
	})
	if err != nil {
		return fmt.Errorf("start the program: %w", err)
	}
	return nil
}

func (s *stage) terminal(p *profile.Profile) *team.Terminal {
	return &team.Terminal{Server: s.server, Pane: s.pane, PID: s.leader, Leader: s.leader, Profile: p}
}

func (s *stage) close(ctx context.Context) (err error) {
	if s.server != nil {
		end := terminal.EndTree(s.leader)
		err = errors.Join(s.server.Shutdown(ctx), end(ctx, endsWriting))
	}

	// A program that is ending still writes.
	limit, cancel := context.WithTimeout(ctx, endsWriting)
	defer cancel()
	_ = wait.Until(limit, lookEvery, func() (bool, error) { return os.RemoveAll(s.scratch) == nil, nil })
	return err
}

// endsWriting is how long a program may write to its home directory after its terminal is gone.
const endsWriting = 10 * time.Second

// command returns the command line and the environment of the program, as a launch would make them, and writes
// the files of its handover.
func (s *stage) command(o *Options) (argv, env []string, err error) {
	dir, given := s.private(), o.Env
	if o.Model != "" {
		if s.script, given, err = o.scripted(filepath.Join(s.scratch, "home"), s.dir); err != nil {
			return nil, nil, err
		}
	}
	inPlace, err := o.standInFor(dir)
	if err != nil {
		return nil, nil, err
	}
	values := profile.Values{
		Name: "check", ID: "00000000-0000-4000-8000-000000000000", Parley: inPlace, Dir: dir, Seal: "check",
	}
	h, err := o.Profile.Handover.Render(values)
	if err != nil {
		return nil, nil, err
	}
	for name, text := range h.Files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, nil, fmt.Errorf("write what the program is handed over: %w", err)
		}
	}

	// tmux would give a single word to a shell.
	argv = slices.Concat([]string{"env", "--", o.Program}, o.Args, s.script.Args)
	if o.Model != "" {
		s.opened = o.Profile.Door.Opens(argv, given)
		opens, err := terminal.OpenDoor(o.Profile, argv, given, values, h.Env)
		if err != nil {
			return nil, nil, fmt.Errorf("open its door: %w", err)
		}
		hooks, err := o.Profile.Door.Hooks.Render(values)
		if err != nil {
			return nil, nil, err
		}
		argv = slices.Concat(argv, opens, hooks)
		h.Env[parley.AgentIDVariable] = values.ID // by which what a door starts is known
	}

	env = slices.DeleteFunc(slices.Clone(given), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := h.Env[name]
		return replaced || slices.Contains(h.Unset, name)
	})
	for name, value := range h.Env {
		env = append(env, name+"="+value)
	}

	return append(argv, h.Args...), env, nil
}
