// Package transcript reads what the models of agent programs used, which files the programs wrote, and what
// they were given, off the programs' own transcripts, one line at a time. It never guesses: a line that
// should have numbers, and has none in the form that is known, is ErrUnknown.
package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
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

// State is what a reader remembers from one line to the next. It belongs to one transcript.
type State struct {
	Model   string // as named by an earlier line
	Records int    // that were read
}

// ErrUnknown says that a line is not in the form that is known of the program.
var ErrUnknown = errors.New("the transcript's form is not known")

// A reader reads a line that has one of its marks.
type reader struct {
	marks []string // a line without any of them says nothing of tokens
	read  func(line []byte, s *State) (*Record, error)
}

var readers = map[string]reader{
	"claude":  {[]string{`"type":"assistant"`}, claude},
	"codex":   {[]string{`"token_usage_record"`, `"turn_context"`, `"token_count"`}, codex},
	"copilot": {[]string{`"session.usage_record"`}, copilot},
	"gemini":  {[]string{`"type":"gemini"`}, gemini},
	"qwen":    {[]string{`"type":"assistant"`}, qwen},
}

// Known reports whether a form of transcripts is known.
func Known(form string) bool { return readers[form].read != nil }

// Read reads one line of a transcript. It returns nil for a line that tells no use, and ErrUnknown
// for one that should and does not.
func Read(form string, line []byte, s *State) (*Record, error) {
	r := readers[form]
	marked := false
	for _, mark := range r.marks {
		marked = marked || bytes.Contains(line, []byte(mark))
	}
	if !marked {
		return nil, nil
	}

	rec, err := r.read(line, s)
	if err != nil || rec == nil {
		return nil, err
	}
	t := rec.Tokens
	sound := min(t.Input, t.Cached, t.CacheWrite, t.Output, t.Reasoning) >= 0 &&
		max(t.Input, t.Cached, t.CacheWrite, t.Output, t.Reasoning) <= maxTokens
	if rec.ID == "" || rec.Model == "" || rec.At.IsZero() || !sound {
		return nil, ErrUnknown
	}
	s.Records++

	return rec, nil
}

// maxTokens is more than any response can use.
const maxTokens = 1 << 40

// decode reads a line of JSON.
func decode(line []byte, to any) error {
	if json.Unmarshal(line, to) != nil {
		return ErrUnknown
	}
	return nil
}

// number returns a number that must be there, and notes if it is not.
func number(n *int64, missing *bool) int64 {
	if n == nil {
		*missing = true
		return 0
	}
	return *n
}

// orZero returns a number that may be missing.
func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
