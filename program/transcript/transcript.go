// Package transcript reads what the models of agent programs used, which files the programs wrote, and what
// they were given, off the programs' own transcripts, one line at a time. A Format says where a program
// writes what; it is a part of the program's profile. Nothing is guessed: a line that should have numbers,
// and has none in the form that is known, is ErrUnknown.
package transcript

import (
	"errors"
	"path/filepath"
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
