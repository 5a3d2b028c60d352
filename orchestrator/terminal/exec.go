package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"parley"
	"parley/orchestrator/team"
)

// launch is what starts an agent's program. It holds the agent's key, so it
// travels in a private file and not in argv or in tmux.
type launch struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
}

// launches are how members were launched, as long as this daemon remembers.
type launches struct {
	mu sync.Mutex
	of map[string]*launch // by the member's id
}

func (l *launches) keep(m *team.Member, made *launch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]*launch{}
	}
	l.of[m.ID] = made
}

// find returns how a member was launched, nil if that is not known.
func (l *launches) find(m *team.Member) *launch {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[m.ID]
}

// fromTerminal are the variables that the terminal sets and a launch does not.
var fromTerminal = []string{
	"TERM",
	"TERM_PROGRAM",
	"TERM_PROGRAM_VERSION",
	"COLORTERM",
	"TMUX",
	"TMUX_PANE",
	"COLUMNS",
	"LINES",
}

// NotInherited are the variables that say who a process is to parley, to tmux or to
// the agent CLI that started it. A daemon and an agent have their own.
var NotInherited = []string{
	"PARLEY_KEY", "PARLEY_DIR", "PARLEY_AGENT", "PARLEY_AGENT_ID", "TMUX", "TMUX_PANE", "STY", "WINDOW",
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE",
}

// fromShell are the variables that belong to the shell around a launch.
var fromShell = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// environment makes a program's environment from what the launch carried and
// what every agent is told.
func environment(carried []string, own map[string]string) []string {
	env := slices.DeleteFunc(slices.Clone(carried), func(kv string) bool {
		name, _, ok := strings.Cut(kv, "=")
		return !ok || slices.Contains(fromTerminal, name) || slices.Contains(NotInherited, name) ||
			slices.Contains(fromShell, name) ||
			own[name] != ""
	})
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// lookPath finds a program as the launched process would: by the PATH of its
// own environment and from its own directory.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}

	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}

		for _, d := range filepath.SplitList(path) {
			if !filepath.IsAbs(d) {
				d = filepath.Join(dir, d)
			}
			if p := filepath.Join(d, name); executable(p) == nil {
				return p, nil
			}
		}
	}

	return "", exec.ErrNotFound
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// write puts the launch into a private file in dir.
func (l *launch) write(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the launch directory: %w", err)
	}
	f, err := os.CreateTemp(dir, "launch-*.json") // 0600
	if err != nil {
		return "", fmt.Errorf("write the launch file: %w", err)
	}
	err = errors.Join(json.NewEncoder(f).Encode(l), f.Close())
	if err != nil {
		return "", errors.Join(fmt.Errorf("write the launch file: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// Exec is the body of `parley _exec FILE`: it reads a launch, removes its file
// and becomes the program. It returns only when that failed.
func Exec(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the launch file: %w", err)
	}
	if err := os.Remove(file); err != nil {
		return fmt.Errorf("remove the launch file: %w", err)
	}

	var l launch
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("read the launch file: %w", err)
	}

	if err := os.Chdir(l.Dir); err != nil {
		return parley.Errorf(parley.InvalidArgument, "cannot start in %s: %w", l.Dir, err).
			Suggest("See whether the directory is still there, and launch the agent again.")
	}

	path, err := lookPath(l.Argv[0], l.Dir, l.Env)
	if err != nil {
		return parley.Errorf(parley.InvalidArgument, "cannot start %s: %w", l.Argv[0], err).
			Suggest("Install it, or give its full path, and launch the agent again.")
	}

	env := append(l.Env, "PWD="+l.Dir)
	for _, name := range fromTerminal {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}

	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, l.Argv, env))
}
