package agents

import (
	"slices"
	"strings"
	"testing"

	"parley"
)

// For a person who attaches, Shift+Enter makes a new line in each program's composer, and the
// wheel leaves the composer alone. Messages arrive after it.
func TestAttachedTerminalsFeelNative(t *testing.T) {
	alone(t, theTouch, func(t *testing.T, program installed) { feelsNative(launchReal(t, program, aloneAt)) })
}

func feelsNative(s *onStage) {
	s.Helper()
	s.inState(parley.StateIdle)
	s.arrives(s.send("say 1")) // which Up would bring back into the composer
	s.inState(parley.StateIdle)

	s.press("-l", strings.Repeat("\x1b[<64;10;10M", 3))
	s.press("-l", strings.Repeat("\x1b[<65;10;10M", 5))
	s.press("-l", "first")
	s.press("S-Enter")
	s.press("-l", "second")
	s.wait("the second line shows", func() bool { return strings.Contains(s.screen(), "second") })

	sent := len(s.model.Prompts())
	if got := s.composer(); strings.Join(strings.Fields(got), " ") != "first second" {
		s.Errorf("the composer holds %q:\n%s", got, s.screen())
	}
	if rows := rowsOf(s.screen(), "first", "second"); rows[0] < 0 || rows[1] <= rows[0] {
		s.Errorf("the lines stand in the rows %v:\n%s", rows, s.screen())
	}

	s.press(slices.Repeat([]string{"BSpace"}, len("first\nsecond"))...)
	s.arrives(s.send("say 2"))
	if got := len(s.model.Prompts()); got != sent+1 {
		s.Errorf("the model got %d prompts, want %d: %q", got, sent+1, s.model.Prompts())
	}

	s.leave()
}

// rowsOf returns the last row of a screen that holds each word, -1 for none.
func rowsOf(screen string, words ...string) []int {
	rows := make([]int, len(words))
	for i, word := range words {
		rows[i] = -1
		for n, line := range strings.Split(screen, "\n") {
			if strings.Contains(line, word) {
				rows[i] = n
			}
		}
	}
	return rows
}
