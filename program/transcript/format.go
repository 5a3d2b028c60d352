package transcript

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Kind is how a transcript is stored.
type Kind string

// The kinds of transcripts.
const (
	Lines    Kind = ""         // a file with one JSON object in each line
	Opencode Kind = "opencode" // a database of opencode or of a program that was made from it
)

// Format says how the transcripts of a program are read. The fields of a line are named by their paths, such
// as message.usage.input. Compile must be called before it is used.
type Format struct {
	Name string `yaml:"name"` // under which what was read is stored
	Kind Kind   `yaml:"kind"`

	Uses    Uses    `yaml:"uses,omitempty"`
	Edits   Edits   `yaml:"edits,omitempty"`
	Prompts Prompts `yaml:"prompts,omitempty"`
}

// Which says which lines count: those that have all of it. Without any, none do.
type Which struct {
	Where map[string]string `yaml:"where"` // the values of fields
	Not   map[string]string `yaml:"not"`   // values that fields must not have
	Has   []string          `yaml:"has"`   // fields that are there, and neither null nor an empty text

	needles [][]byte // what a line must hold to be one of them
}

// Uses says what a response of a model used. Input and Output are sums of fields: one that begins with "-"
// is subtracted, and only the first must be there.
type Uses struct {
	Lines Which    `yaml:"lines,omitempty"`
	ID    []string `yaml:"id"` // names the response; the first must be there
	At    string   `yaml:"at"`
	Model string   `yaml:"model"`

	Input      []string `yaml:"input"` // without what was cached
	Cached     string   `yaml:"cached"`
	CacheWrite string   `yaml:"cache_write"`
	Output     []string `yaml:"output"` // with what was thought
	Reasoning  string   `yaml:"reasoning"`
	// Total is the sum of all. Where it is larger by what was thought, that is not in the output.
	Total string `yaml:"total"`

	Models Models `yaml:"models,omitempty"`
	// Outdated lines are those of versions that do not tell what each response used.
	Outdated Which `yaml:"outdated,omitempty"`
}

// Models says which lines name the model of the responses that follow.
type Models struct {
	Lines Which  `yaml:"lines,omitempty"`
	Name  string `yaml:"name"`
}

// Edits says which files were written. Each is a list in the line, to each part of which the rest
// applies; a field that a part does not have is the line's.
type Edits struct {
	Lines Which  `yaml:"lines,omitempty"`
	Each  string `yaml:"each"`
	Path  string `yaml:"path"`
	Paths string `yaml:"paths"` // an object whose keys are paths
	At    string `yaml:"at"`
}

// Prompts says what the program was given.
type Prompts struct {
	Lines Which  `yaml:"lines,omitempty"`
	Each  string `yaml:"each"` // a list of the parts of the text
	Text  string `yaml:"text"`
	At    string `yaml:"at"`
}

// plainValue matches the values that JSON has no second form of.
var plainValue = regexp.MustCompile(`^[\w./: -]+$`)

// Compile prepares the format. It returns an error if there is no such kind of transcripts.
func (f *Format) Compile() error {
	if f.Kind != Lines && f.Kind != Opencode {
		return fmt.Errorf("there is no kind %q of transcripts: leave it out, or write %s", f.Kind, Opencode)
	}
	for _, w := range []*Which{&f.Uses.Lines, &f.Uses.Models.Lines, &f.Uses.Outdated, &f.Edits.Lines,
		&f.Prompts.Lines} {
		w.compile()
	}
	return nil
}

func (w *Which) compile() {
	w.needles = nil
	for path, value := range w.Where {
		w.needles = append(w.needles, quoted(path[strings.LastIndexByte(path, '.')+1:]))
		if value != "true" && value != "false" && plainValue.MatchString(value) {
			w.needles = append(w.needles, quoted(value))
		}
	}
	for _, path := range w.Has {
		w.needles = append(w.needles, quoted(path[strings.LastIndexByte(path, '.')+1:]))
	}
}

func quoted(word string) []byte { return []byte(`"` + word + `"`) }

// mayBe reports whether it is worth to decode a line.
func (w *Which) mayBe(line []byte) bool {
	return len(w.needles) > 0 &&
		!slices.ContainsFunc(w.needles, func(needle []byte) bool { return !bytes.Contains(line, needle) })
}

// are reports whether a line, or its part, counts.
func (w *Which) are(l fields) bool {
	for path, value := range w.Where {
		if got, ok := l.value(path); !ok || got != value {
			return false
		}
	}
	for path, value := range w.Not {
		if got, ok := l.value(path); ok && got == value {
			return false
		}
	}
	return !slices.ContainsFunc(w.Has, func(path string) bool {
		v := l.find(path)
		return v == nil || v == ""
	})
}

// Clone returns a copy that shares nothing with f. It is not compiled.
func (f Format) Clone() Format {
	for _, w := range []*Which{&f.Uses.Lines, &f.Uses.Models.Lines, &f.Uses.Outdated, &f.Edits.Lines,
		&f.Prompts.Lines} {
		w.Where, w.Not, w.Has, w.needles = maps.Clone(w.Where), maps.Clone(w.Not), slices.Clone(w.Has), nil
	}
	for _, list := range []*[]string{&f.Uses.ID, &f.Uses.Input, &f.Uses.Output} {
		*list = slices.Clone(*list)
	}
	return f
}
