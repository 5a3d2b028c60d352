package daemon

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"parley"
	"parley/internal/plainfile"
	"parley/program/profile"
	"parley/program/sessions"
)

// LearnedDir returns the user's directory of profiles that parley learned, "" if there is none. Each has a file of its
// own there, and its captures beside it.
func LearnedDir(env Environ) string {
	dir := configDir(env)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "parley", "profiles")
}

// configDir returns the user's directory for settings, "" if there is none.
func configDir(env Environ) string {
	dir := env.Get("XDG_CONFIG_HOME")
	if home := env.Get("HOME"); !filepath.IsAbs(dir) && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// addLearned adds to t the learned profiles that the user's own file does not name. A file of somebody else's counts
// once the user trusts it, as a parley.yaml does.
func addLearned(env Environ, t *Team) {
	dir := LearnedDir(env)
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || dir == "" {
		return // a directory whose name is a pattern holds none
	}

	all := map[string]yaml.RawMessage{}
	for _, file := range files {
		one, err := LoadLearned(file)
		switch {
		case err != nil:
			t.LeftOut = append(t.LeftOut, parley.AsError(err))
		case TrustOf(env).Has(one):
			maps.Copy(all, one.Profiles)
		default:
			t.Untrusted = append(t.Untrusted, file)
		}
	}
	maps.Copy(all, t.Profiles)
	t.Profiles = all
}

// LoadLearned reads the file of a learned profile, which has the profile's name and holds nothing else.
func LoadLearned(file string) (*Team, error) {
	t, err := LoadTeam(file, true)
	if err != nil {
		return nil, err
	}

	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	_, ok := t.Profiles[name]
	text, err := plainfile.Read(file, maxTeamFile)
	if err != nil {
		return nil, fmt.Errorf("read a learned profile: %w", err)
	}
	var sections map[string]any
	if err := yaml.Unmarshal(text, &sections); err != nil || !ok || len(t.Profiles) != 1 || len(sections) != 1 {
		return nil, parley.Errorf(parley.InvalidArgument, "%s holds more or something else than the profile %s", file,
			name).
			Suggest("Move the rest to a parley.yaml, or remove the file.")
	}
	if _, err = t.ProfileSet(); err != nil {
		return nil, err
	}

	return t, nil
}

// installed returns the profiles whose programs are here, those that were tried first.
func installed(s profile.Set) (names []string) {
	for _, p := range s.Launchable() {
		if _, err := exec.LookPath(p.Command[0]); err == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// kept says where the user's programs keep their conversations, and where the index of them is.
func (e Environ) kept() sessions.Options {
	cache := e.Get("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(e.Get("HOME"), ".cache")
	}
	return sessions.Options{Home: e.Get("HOME"), Env: e.Get, Index: filepath.Join(cache, "parley", "sessions.db")}
}
