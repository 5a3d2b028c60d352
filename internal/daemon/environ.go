package daemon

import (
	"slices"
	"strings"

	"parley/orchestrator/terminal"
)

// Environ is an environment in the form of os.Environ. If a name occurs twice,
// the last entry counts.
type Environ []string

// Get returns the value of a variable, "" if it is not set.
func (e Environ) Get(name string) string {
	for _, entry := range slices.Backward(e) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Map returns the environment as launch requests carry it.
func (e Environ) Map() map[string]string {
	m := make(map[string]string, len(e))
	for _, entry := range e {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			m[name] = value
		}
	}
	return m
}

// Scrubbed returns the environment without the variables that a child process
// must not inherit.
func (e Environ) Scrubbed() Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(terminal.NotInherited, name)
	})
}

// forTmux lists the variables that parley's tmux server needs. Every program there can read the
// environment of the server, so that it holds nothing else: a launched agent gets its environment
// in a private file.
var forTmux = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TERMINFO", "TERMINFO_DIRS",
	"TMPDIR", "TMUX_TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// ForTmux returns the environment of parley's tmux server.
func (e Environ) ForTmux() Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(forTmux, name) && !strings.HasPrefix(name, "LC_")
	})
}
