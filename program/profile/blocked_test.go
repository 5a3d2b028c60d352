package profile_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// failures are the last lines of failed turns, as a message may quote them.
var failures = []string{
	"● API Error: 500 Internal server error", "  ⎿  You've hit your session limit · resets 3pm",
	"■ You’ve hit your usage limit.",
	"■ unexpected status 500", "✗ 500 The server had an error", "✕ [API Error: broken]",
	"✕ [API Error: broken] (Press Ctrl+Y to retry)",
	"  ⎿  Not logged in · Please run /login", "                         Not logged in · run /login",
	"✗ You must be logged in to send messages. Please run /login", "Please use /login to sign in to use Copilot",
	"■ Missing environment variable: `API_KEY`.",
}

var footer = regexp.MustCompile(`^(.*)\(\w+ · msg [0-9a-f]{8}`)

// The test replaces every message on the screens of the real programs by a quoted failure.
func TestMessageThatQuotesAFailureBlocksNothing(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/*/*.txt"))(t)

	set, tried := builtin(t), 0
	for _, file := range files {
		want, lines := readGolden(t, file)
		if want.State == profile.Blocked {
			continue
		}

		p := find(t, set, filepath.Base(filepath.Dir(file)))
		for row, line := range lines {
			foot := footer.FindStringSubmatch(line)
			if foot == nil {
				continue
			}

			for _, failure := range failures {
				tried++
				if got := p.Look(slices.Insert(slices.Clone(lines), row, foot[1]+failure)); got == profile.Blocked {
					t.Errorf("%s with %q in row %d looks %s", file, failure, row, got)
				}
			}
		}
	}

	if tried < 500 {
		t.Errorf("only %d messages were tried", tried)
	}
}

// answer matches an answer of the scripted model, with the program's sign before it.
var answer = regexp.MustCompile(`^(.*)You said: .*$`)

// The test makes every last answer on the screens of the real programs begin like a
// failure. Claude Code 2.1.197 writes both in the same way, and gives a duration after
// neither.
func TestAnswerThatQuotesAFailureBlocksNothing(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/*/*.txt"))(t)

	set, tried := builtin(t), 0
	for _, file := range files {
		want, lines := readGolden(t, file)
		row := lastIndex(lines, answer.MatchString)
		name := filepath.Base(filepath.Dir(file))
		if want.State == profile.Blocked || row < 0 || name == "claude" && lastIndex(lines, doneAt.MatchString) < row {
			continue
		}

		for _, failure := range failures {
			tried++
			_, words, _ := strings.Cut(strings.TrimSpace(failure), " ")
			for _, text := range []string{failure, strings.TrimSpace(words)} {
				screen := slices.Clone(lines)
				screen[row] = answer.FindStringSubmatch(lines[row])[1] + text
				if got := find(t, set, name).Look(screen); got == profile.Blocked {
					t.Errorf("%s with the answer %q looks %s", file, text, got)
				}
			}
		}
	}

	if tried < 100 {
		t.Errorf("only %d answers were tried", tried)
	}
}

// doneAt matches the line that Claude Code 2.1.329 writes below an answer, and not below a
// failure.
var doneAt = regexp.MustCompile(`^✻ .* · done `)

func lastIndex(lines []string, is func(string) bool) int {
	for i, line := range slices.Backward(lines) {
		if is(line) {
			return i
		}
	}
	return -1
}
