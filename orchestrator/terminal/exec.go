package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/program/sandbox"
)

// launch describes how to start an agent's program. Its environment holds the agent's key, so it
// travels in a private file, not in argv or through tmux.
type launch struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	Nice int      `json:"nice,omitempty"`
	Box  []string `json:"box,omitempty"` // arguments of bwrap for its sandbox; none: it has none

	path  string // of Argv[0], in that environment
	begin beginning
	first First
	ports parley.Ports
	moved string // in words: which of them are others than before
	ran   bool   // after a failure: the program may have run
}

func (l *launches) remember(m *team.Member, made *launch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*launch{}
	}
	l.byID[m.ID] = made
}

// find returns the last launch of a member, nil if this daemon made none.
func (l *launches) find(m *team.Member) *launch {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[m.ID]
}

// fromTerminal lists the variables that a program takes from its terminal, not from its launch.
var fromTerminal = []string{
	"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "TMUX", "TMUX_PANE", "COLUMNS", "LINES",
}

// NotInherited lists the variables that identify a process to parley, to tmux or to the agent CLI
// that started it. A daemon and an agent must not inherit them: they get new ones.
var NotInherited = []string{
	parley.KeyVariable, parley.WorkspaceVariable, parley.AgentVariable, parley.AgentIDVariable, parley.SocketVariable,
	"PARLEY_OPERATOR_KEY", "PARLEY_OPERATOR_HASH",
	"TMUX", "TMUX_PANE", "STY", "WINDOW",
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE",
}

// ofDaemon lists the variables that are the daemon's alone: they may hold a password.
var ofDaemon = []string{"PARLEY_DATABASE"}

// fromShell lists the variables that describe the shell around a launch.
var fromShell = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// environList returns env as a list, or this process's environment for nil.
func environList(env map[string]string) []string {
	if env == nil {
		return os.Environ()
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// environment returns the environment of a program, sorted: the one that the launch carried, without
// the variables that it must not inherit, and the agent's own variables.
func environment(carried []string, own map[string]string) []string {
	env := slices.DeleteFunc(slices.Clone(carried), func(kv string) bool {
		name, value, ok := strings.Cut(kv, "=")
		return !ok || slices.Contains(fromTerminal, name) || slices.Contains(NotInherited, name) ||
			slices.Contains(ofDaemon, name) ||
			slices.Contains(fromShell, name) || own[name] != "" || profile.IsSecret(value)
	})

	for name, value := range own {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)

	return env
}

// Inherited returns an environment without the variables that a program must not inherit, sorted.
func Inherited(env []string) []string { return environment(env, nil) }

// lookPath finds a program as the launched process will: by the PATH in env, and from dir. The error
// is exec.ErrNotFound, or that of checkExecutable for a name with a slash.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, checkExecutable(path)
	}

	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		if p := filepath.Join(d, name); checkExecutable(p) == nil {
			return p, nil
		}
	}

	return "", exec.ErrNotFound
}

// variable returns the value of a variable, "" if it is not set. The first entry counts.
func variable(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// checkExecutable returns nil if path is a file that may be executed, else why not: fs.ErrPermission for a
// directory or a file without that permission.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// write puts the launch into a new private file in dir, which it makes if necessary, and returns the
// path.
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

// Exec runs `parley _exec FILE`: it reads a launch, removes its file and replaces this process by the
// program. It returns only on failure, and then always an error.
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

	if err := yield(l.Nice); err != nil {
		return fmt.Errorf("let the program yield to others: %w", err)
	}

	path, err := lookPath(l.Argv[0], l.Dir, l.Env)
	if err != nil {
		return parley.Errorf(parley.InvalidArgument, "cannot start %s: %w", l.Argv[0], err).
			Suggest("Install it, or give its full path, and launch the agent again.")
	}

	env := append(l.Env, "PWD="+l.Dir)
	if l.Box != nil {
		return sandbox.Exec(l.Box, path, l.Argv, withTerminal(env, true))
	}

	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, l.Argv, withTerminal(env, false)))
}

// withTerminal adds what a program takes from its terminal to its environment. In a sandbox that names no tmux, which
// cannot be reached there.
func withTerminal(env []string, inSandbox bool) []string {
	for _, name := range fromTerminal {
		if value, ok := os.LookupEnv(name); ok && !(inSandbox && strings.HasPrefix(name, "TMUX")) {
			env = append(env, name+"="+value)
		}
	}

	return env
}

// yield sets the niceness of this thread, and of the program that it becomes: 0 to 19. It never lowers it.
func yield(nice int) error {
	if nice == 0 {
		return nil
	}
	runtime.LockOSThread() // until the thread is the program
	err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
	if errors.Is(err, syscall.EACCES) {
		return nil
	}
	return err
}
