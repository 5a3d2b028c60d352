package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
)

// learning returns how a command is learned.
func learning(t *testing.T, command ...string) Options {
	t.Helper()
	set := must.Have(profile.Builtin())(t)
	return Options{
		Profile: must.Have(set.Find(profile.Default))(t), Program: command[0], Args: command[1:], Env: os.Environ(),
		Width: 100, Height: 30, Patience: time.Minute, Now: time.Now,
	}
}

// A program that frames no pastes would submit at each line feed, and one that takes several keys at once for a text
// would keep it: it is learned all the same, also with a cursor that it draws, and nothing is submitted.
func TestProgramThatTakesKeysForATextIsLearned(t *testing.T) {
	for _, does := range []string{takesKeys, drawsOne} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "submitted")
			command := []string{must.Have(os.Executable())(t), fakeProgram, does, file}
			lesson, err := Learn(t.Context(), "new", command, learning(t, command...))
			must.Do(t, err)

			for _, f := range lesson.Result.Findings {
				want := Holds
				if f.Guarantee == Lines || f.Saw == NoModel {
					want = NotTried
				}
				if f.Verdict != want {
					t.Errorf("%s %s: %s", f.Guarantee, f.Verdict, f.Saw)
				}
			}
			if text := string(must.Have(os.ReadFile(file))(t)); text != "" {
				t.Errorf("it was given %q", text)
			}
		})
	}
}

// What shows nothing of a text gets no more than that text: not the keys that delete it, and no paste.
func TestProgramThatShowsNothingGetsNothingMore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "typed")
	command := []string{must.Have(os.Executable())(t), fakeProgram, showsNone, file}
	_, err := Learn(t.Context(), "new", command, learning(t, command...))
	if err == nil || !strings.Contains(err.Error(), "not shown") {
		t.Errorf("got %v", err)
	}
	if text := string(must.Have(os.ReadFile(file))(t)); text != Probe {
		t.Errorf("it was given %q", text)
	}
}

// A shell is not typed to, however it is started.
func TestShellIsNotLearned(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{"env", "PS1=> ", "sh", "-i"},
		{"sh", "-c", "PS1='> ' sh -i; true"},
	} {
		_, err := Learn(t.Context(), "new", command, learning(t, command...))
		if err == nil || !strings.Contains(err.Error(), "sh has the terminal") {
			t.Errorf("%q: got %v", command, err)
		}
	}
}

// A program that ends has no profile yet that could be wrong.
func TestProgramThatEndsWhileItIsLearnedIsToBeStartedByHand(t *testing.T) {
	t.Parallel()
	command := []string{"sh", "-c", "echo needs a garden; exit 1"}
	_, err := Learn(t.Context(), "new", command, learning(t, command...))
	e := parley.AsError(err)
	if !strings.Contains(e.Message, "needs a garden") || !strings.Contains(e.Action, "--dir") ||
		strings.Contains(e.Action, "profile") {
		t.Errorf("got %v: %s", err, e.Action)
	}
}
