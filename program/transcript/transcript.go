// Package transcript reads what the models of agent programs used, which files the programs wrote, and what
// they were given, off the programs' own transcripts, one line at a time. A Format says where a program
// writes what; it is a part of the program's profile. Nothing is guessed: a line that should have numbers,
// and has none in the form that is known, is ErrUnknown.
package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
)

// Record is what one response of a model used.
type Record struct {
	ID     string // names the response: a copy of its record has the same
	At     time.Time
	Model  string
	Tokens parley.Tokens
}

// Edit is a file that a program has written, by its own record.
type Edit struct {
	Path string // absolute
	At   time.Time
}

// Prompt is a text that a session of a program was given.
type Prompt struct {
	Session string // the program's own id of it
	Text    string
	At      time.Time
}

// State is what a reader remembers from one line to the next. It belongs to one transcript.
type State struct {
	Model   string // as named by an earlier line
	Records int    // that were read
}

// ErrUnknown says that a line is not in the form that is known of the program.
var ErrUnknown = errors.New("the transcript's form is not known")

// maxTokens is more than any response can use.
const maxTokens = 1 << 40

// Read reads one line of a transcript. It returns nil for a line that tells no use, and ErrUnknown
// for one that should and does not.
func (f *Format) Read(line []byte, s *State) (*Record, error) {
	u := &f.Uses
	switch {
	case u.Models.Lines.mayBe(line):
		l, ok := open(line)
		if !ok {
			return nil, ErrUnknown
		}
		if u.Models.Lines.are(l) {
			s.Model = l.text(u.Models.Name)
			return nil, nil
		}
	case u.Outdated.mayBe(line) && s.Records == 0:
		if l, ok := open(line); !ok || u.Outdated.are(l) {
			return nil, ErrUnknown
		}
	}

	if !u.Lines.mayBe(line) {
		return nil, nil
	}
	l, ok := open(line)
	if !ok {
		return nil, ErrUnknown
	}
	if !u.Lines.are(l) {
		return nil, nil
	}

	rec, err := u.read(l, s)
	if err == nil {
		s.Records++
	}
	return rec, err
}

// read reads a line that must tell a use.
func (u *Uses) read(l fields, s *State) (*Record, error) {
	n := numbers{fields: l}
	t := parley.Tokens{
		Input: n.sum(u.Input), Cached: n.orZero(u.Cached), CacheWrite: n.orZero(u.CacheWrite),
		Output: n.sum(u.Output), Reasoning: n.orZero(u.Reasoning),
	}
	if u.Total != "" {
		switch n.must(u.Total) {
		case t.Total():
		case t.Total() + t.Reasoning:
			t.Output += t.Reasoning
		default:
			return nil, ErrUnknown
		}
	}

	rec := &Record{At: l.time(u.At), Model: s.Model, Tokens: t}
	if u.Model != "" {
		rec.Model = l.text(u.Model)
	}
	for i, path := range u.ID {
		part := l.text(path)
		if i == 0 && part == "" {
			return nil, ErrUnknown
		}
		rec.ID += part
	}

	sound := min(t.Input, t.Cached, t.CacheWrite, t.Output, t.Reasoning) >= 0 &&
		max(t.Input, t.Cached, t.CacheWrite, t.Output, t.Reasoning) <= maxTokens
	if n.unknown || rec.ID == "" || rec.Model == "" || rec.At.IsZero() || !sound {
		return nil, ErrUnknown
	}

	return rec, nil
}

// EditsIn returns the files that one line of a transcript says were written. What it does not know, it
// leaves out, so that an edit that was not made is never reported.
func (f *Format) EditsIn(line []byte) (known []Edit) {
	e := &f.Edits
	if !e.Lines.mayBe(line) {
		return nil
	}

	l, _ := open(line)
	for _, part := range l.parts(e.Each) {
		if !e.Lines.are(part) {
			continue
		}
		at := part.time(e.At)
		for _, path := range append(part.keys(e.Paths), part.text(e.Path)) {
			if filepath.IsAbs(path) && !at.IsZero() {
				known = append(known, Edit{filepath.Clean(path), at})
			}
		}
	}

	return known
}

// Prompt returns the prompt that one line of a transcript says the program was given. It is not ok if the
// line is none, or if the program's prompts are not read. The session is left to the caller.
func (f *Format) Prompt(line []byte) (p Prompt, ok bool) {
	r := &f.Prompts
	if !r.Lines.mayBe(line) {
		return p, false
	}

	l, _ := open(line)
	if !r.Lines.are(l) {
		return p, false
	}

	var texts []string
	for _, part := range l.parts(r.Each) {
		if text := part.text(r.Text); text != "" {
			texts = append(texts, text)
		}
	}
	return Prompt{Text: strings.Join(texts, "\n"), At: l.time(r.At)}, len(texts) > 0
}

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
	Quotas  Quotas  `yaml:"quotas,omitempty"`
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
	for _, w := range f.which() {
		w.Compile()
	}
	return nil
}

func (f *Format) which() []*Which {
	return []*Which{
		&f.Uses.Lines, &f.Uses.Models.Lines, &f.Uses.Outdated, &f.Edits.Lines, &f.Prompts.Lines, &f.Quotas.Lines,
	}
}

// Compile prepares w to match lines.
func (w *Which) Compile() {
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

// Match reports whether a line counts.
func (w *Which) Match(line []byte) bool {
	if !w.mayBe(line) {
		return false
	}
	l, ok := open(line)
	return ok && w.are(l)
}

// Clone returns a copy that shares nothing with w. It is not compiled.
func (w *Which) Clone() Which {
	return Which{Where: maps.Clone(w.Where), Not: maps.Clone(w.Not), Has: slices.Clone(w.Has)}
}

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
	f.Quotas.Windows = slices.Clone(f.Quotas.Windows)
	for _, w := range f.which() {
		w.Where, w.Not, w.Has, w.needles = maps.Clone(w.Where), maps.Clone(w.Not), slices.Clone(w.Has), nil
	}
	for _, list := range []*[]string{&f.Uses.ID, &f.Uses.Input, &f.Uses.Output} {
		*list = slices.Clone(*list)
	}
	return f
}
