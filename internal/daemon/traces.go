package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"parley/internal/place"
)

// Trace is something on disk that parley wrote for a user.
type Trace struct {
	Path      string `json:"path"`
	What      string `json:"what"`
	Workspace bool   `json:"workspace"` // it holds the messages of a workspace, or what restores them
}

// Traces returns what parley wrote for the user of an environment, as far as it exists: the state of
// the user and of the user's workspaces, and pages and completions where the documentation puts them.
// What the user wrote, such as parley.yaml, is none of it.
func Traces(env Environ) []Trace {
	var all []Trace
	add := func(path, what string, workspace bool) {
		if info, err := os.Lstat(path); path != "" && err == nil && place.IsOwn(info) {
			all = append(all, Trace{path, what, workspace})
		}
	}

	for _, at := range place.Workspaces(env) {
		if at.Runtime != at.Home {
			add(at.Runtime, "the sockets' directory of "+at.Root, false)
		}
		add(ServiceOf(at.Home, env), "what starts "+at.Root+" at your login", false)
		add(filepath.Dir(at.Received()), "copies of files for the agents of "+at.Root, true)
		add(at.Home, "messages, files and logs of "+at.Root, true)
	}

	if state := place.StateHome(env); state != "" {
		add(filepath.Join(state, "parley", "trusted"), "which files you trust", false)
		add(place.ChecksDir(env), "what profiles check found", false)
		add(LearnedDir(env), "what profiles learn found", false)
		add(place.HostsFile(env), "keys of workspaces on other machines", false)
	}

	for _, page := range ownPages(env) {
		add(page, "a manual page or a completion", false)
	}

	return all
}

// ownPages returns manual pages and completions in the user's directories that parley wrote.
func ownPages(env Environ) []string {
	home := env.Get("HOME")
	if !filepath.IsAbs(home) {
		return nil
	}

	share := filepath.Join(place.GlobQuote(home), ".local", "share")
	var pages []string
	for _, pattern := range []string{
		filepath.Join(share, "man", "man1", "parley.1"),
		filepath.Join(share, "man", "man1", "parley-*.1"),
		filepath.Join(share, "bash-completion", "completions", "parley"),
		filepath.Join(share, "zsh", "site-functions", "_parley"),
		filepath.Join(share, "fish", "vendor_completions.d", "parley.fish"),
		filepath.Join(place.GlobQuote(home), ".config", "fish", "completions", "parley.fish"),
	} {
		found, _ := filepath.Glob(pattern) // the patterns are sound
		for _, path := range found {
			if text, err := os.ReadFile(path); err == nil && isOwnPage(text) {
				pages = append(pages, path)
			}
		}
	}

	return pages
}

// isOwnPage reports whether a text is a manual page or a completion of parley.
func isOwnPage(text []byte) bool {
	return bytes.HasPrefix(text, []byte(".TH PARLEY")) || bytes.Contains(text, []byte("parley __complete")) ||
		bytes.Contains(text, []byte("__parley_"))
}

// ServiceOf returns the path of the file by which the system starts the daemon of a workspace with that home: a user
// unit of systemd, or an agent of launchd on macOS.
func ServiceOf(home string, env Environ) string {
	name := "parley-" + filepath.Base(home)
	if runtime.GOOS == "darwin" {
		return filepath.Join(env.Get("HOME"), "Library", "LaunchAgents", name+".plist")
	}
	return filepath.Join(configDir(env), "systemd", "user", name+".service")
}
