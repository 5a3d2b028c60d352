package profile

import (
	"path/filepath"
	"slices"

	"parley/plain"
)

// Sandbox says what of the user's a program needs in a sandbox. The paths are relative to a home directory.
type Sandbox struct {
	Always bool     `yaml:"always"` // each launch of it is in one
	Env    []string `yaml:"env"`    // variables of the launch that it gets, with * for any letters
	Copied []string `yaml:"copied"` // its settings: a private copy is made at its first launch there
	Read   []string `yaml:"read"`   // what it sees as it is and cannot change
	Shared []string `yaml:"shared"` // what it may change for all, such as its sign-in
}

func (s Sandbox) clone() Sandbox {
	for _, list := range []*[]string{&s.Env, &s.Copied, &s.Read, &s.Shared} {
		*list = slices.Clone(*list)
	}
	return s
}

// check returns an error for a path that leads out of the home directory.
func (s Sandbox) check(c checker) error {
	for _, path := range slices.Concat(s.Copied, s.Read, s.Shared) {
		if !filepath.IsLocal(path) || path != plain.CleanLine(path) {
			return c.invalid("sandbox", path).
				Suggest("Give paths relative to the home directory, such as .claude.json.")
		}
	}
	return nil
}
