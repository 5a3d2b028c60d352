package meter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestContextIsThatOfTheLastResponse(t *testing.T) {
	s := newStage(t, nil)
	s.coder.Reports.NoteTranscript(s.path, s.now)
	if got := s.Context(s.coder); got != 0 {
		t.Errorf("before a response it is %d", got)
	}
	s.writes(t, response("a", 1, 5)+response("b", 2, 7))
	if got := s.Context(s.coder); got != 8 {
		t.Errorf("it is %d, want 8", got)
	}

	// A subagent's does not count, nor that of another conversation.
	s.path = filepath.Join(strings.TrimSuffix(s.path, ".jsonl"), "subagents", "x.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(s.path), 0o700))
	s.writes(t, response("c", 3, 90))
	if got := s.Context(s.coder); got != 8 {
		t.Errorf("after a subagent's it is %d, want 8", got)
	}
	must.Do(t, s.opts.Roster.Records.SetSession(t.Context(), s.coder, parley.Session{ID: "another"}))
	if got := s.Context(s.coder); got != 0 {
		t.Errorf("in a new conversation it is %d", got)
	}
}
