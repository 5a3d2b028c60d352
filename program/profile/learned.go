package profile

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Learned are the keys of a profile that parley learned by itself, in their order in its file.
type Learned struct {
	Extends     string        `yaml:"extends"`
	Summary     string        `yaml:"summary"`
	Command     []string      `yaml:"command"`
	Programs    []string      `yaml:"programs,omitempty"`
	Tested      []string      `yaml:"tested,omitempty"`
	OneLine     bool          `yaml:"one_line"`
	InlineLines int           `yaml:"inline_lines"`
	InlineChars int           `yaml:"inline_chars"`
	Key         string        `yaml:"key"`
	ShowWithin  time.Duration `yaml:"show_within"`
	Still       time.Duration `yaml:"still"`
	Markers     struct {
		Idle     string `yaml:"idle"`
		Composer string `yaml:"composer"`
		Cursor   bool   `yaml:"cursor,omitempty"`
		Empty    string `yaml:"empty,omitempty"`
		Paste    string `yaml:"paste"`
	} `yaml:"markers"`
}

// Profile returns the profile with these keys.
func (l *Learned) Profile(name string) (*Profile, error) {
	set, err := Builtin()
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", name, err)
	}
	if set, err = set.With(name, text); err != nil {
		return nil, err
	}
	return set.Find(name)
}

// YAML returns the profile in the form of a parley.yaml, which begins with what is not known of the program.
func (l *Learned) YAML(name, size string, unknown []string) ([]byte, error) {
	body, err := yaml.Marshal(map[string]map[string]*Learned{"profiles": {name: l}})
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", name, err)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "# Learned by parley profiles learn, in a terminal of %s. It is not known:\n", size)
	for _, words := range unknown {
		b.WriteString("# - " + words + "\n")
	}
	return append([]byte(b.String()), body...), nil
}
