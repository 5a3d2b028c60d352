package door_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"parley/internal/must"
	"parley/program/door"
)

// A hook takes one letter, while it waits, and what its transcript says later is what has become of that.
func TestAHookTakesALetterWhileItWaits(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	before := letter(1)
	must.Do(t, os.WriteFile(file, []byte(`{"hook":"`+before.Mark+`"}`+"\n"), 0o600))
	hooks := &door.Hooks{Dir: dir, Holds: map[string]func([]byte) bool{
		"end": func(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"hook"`)) },
	}}
	fate := func(l door.Letter) string {
		t.Helper()
		answer, ours, err := hooks.Ask(l)
		must.Do(t, err)
		return strconv.FormatBool(ours) + " " + string(answer.Fate)
	}

	over := make(chan struct{})
	call := door.NewCall(dir, "end", file, door.Moment{AtEnd: true}, over)
	l := letter(2)
	given := make(chan error)
	go func() { given <- call.Give(t.Context(), l) }()
	if got := <-call.Taken(); got.ID != l.ID {
		t.Errorf("it took %+v", got)
	}
	must.Do(t, <-given)
	if got := fate(l); got != "true unknown" {
		t.Errorf("before its transcript has it, it is %s", got)
	}

	write := func(line string) {
		f := must.Have(os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0))(t)
		must.Have(f.WriteString(line + "\n"))(t)
		must.Do(t, f.Close())
	}
	write(`{"said":"I have ` + l.Mark + `"}`)
	if got := fate(l); got != "true unknown" {
		t.Errorf("after its model has named it, it is %s", got)
	}
	write(`{"hook":"whole (` + l.Mark + `)"}`)
	if got := fate(l); got != "true read" {
		t.Errorf("after its transcript has it, it is %s", got)
	}

	// Nothing was handed over for sure.
	close(over)
	late := letter(3)
	if err := call.Give(t.Context(), late); !errors.Is(err, door.ErrNotNow) {
		t.Errorf("a hook that has gone on: %v", err)
	}
	for _, l := range []door.Letter{late, before} {
		if got := fate(l); got != "false " {
			t.Errorf("%s, which no hook took, is %q", l.Text, got)
		}
	}
}

// What hooks took is remembered beyond a launch, but not for ever.
func TestWhatHooksTookIsNotRememberedForEver(t *testing.T) {
	dir := t.TempDir()
	for i := range 205 {
		call := door.NewCall(dir, "end", "", door.Moment{}, nil)
		go func() { <-call.Taken() }()
		must.Do(t, call.Give(t.Context(), letter(i)))
	}
	if kept := must.Have(os.ReadDir(dir))(t); len(kept) != 200 {
		t.Errorf("%d are remembered, want 200", len(kept))
	}
}

func TestACallIsPassedOnce(t *testing.T) {
	call := door.NewCall(t.TempDir(), "tool", "", door.Moment{}, nil)
	call.Pass()
	call.Pass()
	<-call.Passed()
}
