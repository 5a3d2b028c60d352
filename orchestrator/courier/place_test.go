package courier

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/store/storetest"
	"parley/tmux"
)

// readerHost is a machine with one terminal.
type readerHost struct {
	host
	program   tmux.Program
	canonical bool
	waits     tmux.Reads
	untold    error
}

func (h readerHost) Reader(*team.Terminal, time.Time) (tmux.Reader, error) {
	return tmux.Reader{Program: h.program, PID: 1, Waits: h.waits}, h.untold
}
func (h readerHost) Canonical(*team.Terminal) (bool, error) { return h.canonical, nil }
func (h readerHost) Echo(*team.Terminal) (bool, error)      { return h.canonical, nil }

// promptScreen is a screen with a prompt at the cursor.
func promptScreen(prompt string) *tmux.Screen {
	return &tmux.Screen{
		Lines: []string{"some output", prompt, ""}, Width: 80, Height: 24, CursorX: len(prompt), CursorY: 1,
	}
}

// A table of prompts and of readers: what of them lets a message go.
func TestWhereAMessageIsTyped(t *testing.T) {
	db := storetest.Open(t)
	places := must(team.LoadPlaces(t.Context(), db))
	const settled = "settled: "
	id := team.ProgramID(ownProgram)
	for _, at := range []profile.Place{{}, {Words: "settled:"}} {
		must(0, places.Add(t.Context(), id, at))
	}
	must(0, places.Add(t.Context(), "/bin/sh", profile.Place{})) // as earlier versions could
	places = must(team.LoadPlaces(t.Context(), db))              // as another daemon does

	agent := func(canonical bool, waits tmux.Reads) readerHost {
		return readerHost{host(nil), ownProgram, canonical, waits, nil}
	}
	shell := tmux.Program{File: "/bin/sh", Args: []string{"sh", "-i"}}
	readers := map[string]readerHost{
		"raw":           agent(false, tmux.ReadsInput),
		"raw, works":    agent(false, tmux.ReadsNot),
		"reads lines":   agent(true, tmux.ReadsInput),
		"may read":      agent(true, tmux.ReadsUnknown),
		"does not read": agent(true, tmux.ReadsNot),
		"untold":        {program: ownProgram, untold: errors.ErrUnsupported},
		"not found":     {program: ownProgram, untold: errors.New("it has just ended")},
		"a shell":       {program: shell, waits: tmux.ReadsInput},
		"another":       {program: relayed, waits: tmux.ReadsInput},
		"may be":        {program: relayed, waits: tmux.ReadsUnknown},
		"another works": {program: relayed},
	}
	const goes, asks, none = parley.ReasonCode(""), parley.HoldNewPlace, parley.HoldNoReader
	const other, sh = parley.HoldOtherProgram, parley.HoldShell
	for name, want := range map[string]map[string]parley.ReasonCode{
		"raw":           {"": goes, "> ": goes, "agent> ": goes, "me@box:~$ ": asks, "Username: ": asks, settled: goes},
		"raw, works":    {"": goes, "> ": goes, "agent> ": goes, "me@box:~$ ": asks, "Username: ": asks, settled: goes},
		"reads lines":   {"": goes, "> ": goes, "agent> ": goes, "me@box:~$ ": asks, "Username: ": asks, settled: goes},
		"may read":      {"": goes, "> ": goes, "agent> ": goes, "me@box:~$ ": asks, "Username: ": asks, settled: goes},
		"does not read": {"": none, "> ": none, "agent> ": none, "me@box:~$ ": none, "Username: ": none, settled: none},
		"untold":        {"": goes, "> ": goes},
		"not found":     {"": none, "> ": none},
		"a shell":       {"": sh, "> ": sh, "$ ": sh, "❯ ": sh, settled: sh},
		"another":       {"": other, "> ": other, "agent> ": other, "Username: ": other, settled: other},
		"may be":        {"": other, "> ": other, "agent> ": other, "Username: ": other, settled: other},
		"another works": {"": none, "> ": none, "agent> ": none, "Username: ": none, settled: none},
	} {
		for prompt, code := range want {
			h := readers[name]
			on := &team.Terminal{Profile: generic(), Places: places}
			if got := sight.SpotOn(h, on, promptScreen(prompt)); got.Code != code {
				t.Errorf("%s at %q: %q, want %q", name, prompt, got.Code, code)
			}
		}
	}
}

// A program that has taken a message behind a sign can ask something there, and behind another sign another one can
// read.
func TestWhereItHasTakenOneSaysNothingOfTheNext(t *testing.T) {
	h := readerHost{program: ownProgram, waits: tmux.ReadsInput}
	said := team.NewPlaces(nil, store.Place{Program: team.ProgramID(ownProgram)})
	on := &team.Terminal{Profile: generic(), Places: said}
	on.NoteTaken(profile.Place{Words: ">"})
	for prompt, want := range map[string]parley.ReasonCode{
		"> ": "", "$ ": parley.HoldNewPlace, "": parley.HoldNewPlace, "Allow it? [y/n]\n> ": parley.HoldNewPlace,
		"1) one\n2) two\n> ": parley.HoldNewPlace, "Type DROP to go on\n> ": parley.HoldNewPlace,
	} {
		lines := strings.Split(prompt, "\n")
		last := len(lines) - 1
		screen := &tmux.Screen{
			Lines: append(lines, ""), Width: 80, Height: 24, CursorX: len(lines[last]), CursorY: last,
		}
		if got := sight.SpotOn(h, on, screen); got.Code != want {
			t.Errorf("%q: %q, want %q", prompt, got.Code, want)
		}
	}
	hidden := promptScreen("> ")
	hidden.CursorHidden = true
	if got := sight.SpotOn(h, on, hidden); got.Code != parley.HoldNewPlace {
		t.Errorf("with the cursor hidden: %q", got.Code)
	}
}

func generic() *profile.Profile {
	return must(must(profile.Builtin()).Find(profile.Default))
}

// The key waits behind whatever has come to ask something since the paste, and behind nothing that is a part of the
// text or stood there before.
func TestTheKeyWaitsBehindAQuestionThatHasCome(t *testing.T) {
	const text = "[AGENT 5f0c0001 TO AGENT 5f0c0002]: (you · msg 5f0c21aa) build it? now: go (operator · msg 5f0c0003)"
	for name, c := range map[string]struct {
		before, at profile.Place
		waits      bool
	}{
		"a question behind it":     {at: profile.Place{Words: "Update now? [Y/n]"}, waits: true},
		"a question at the prompt": {profile.Place{Words: ">"}, profile.Place{Words: "> Update now?"}, true},
		"a question above":         {at: profile.Place{Above: "Proceed?"}, waits: true},
		"its own beginning": {profile.Place{Words: ">"},
			profile.Place{Words: "> [AGENT 5f0c0001 TO AGENT 5f0c0002]:"}, false},
		"its last row, wrapped":        {at: profile.Place{Words: "msg 5f0c0003)"}},
		"a row of it above":            {at: profile.Place{Above: "build it?"}},
		"what stood there before":      {profile.Place{Words: "step 1:"}, profile.Place{Words: "step 2:"}, false},
		"what stood above before":      {profile.Place{Above: "Name?"}, profile.Place{Above: "Name?"}, false},
		"an empty row, as it was then": {},
	} {
		c.at.New = true
		typed := &attempt.Typed{Letter: letter.Letter{Text: text}}
		a := &attempt.Attempt{Text: typed, Memory: &attempt.Memory{Place: c.before}}
		at := sight.Spot{At: c.at, IsNew: true, Code: parley.HoldNewPlace}
		o := &sight.Observation{Place: func() sight.Spot { return at }, Profile: &profile.Profile{}}
		if h := a.Misplaced(o); h.None() == c.waits {
			t.Errorf("%s: %+v, want that it waits: %v", name, h, c.waits)
		}
	}
}

func TestTheOperatorTakesAPlaceBack(t *testing.T) {
	db := storetest.Open(t)
	places := must(team.LoadPlaces(t.Context(), db))
	at := profile.Place{Words: "you:"}
	for _, program := range []string{"agent", "other"} {
		must(0, places.Add(t.Context(), program, at))
	}
	if n := must(places.Forget(t.Context(), "agent")); n != 1 {
		t.Errorf("%d places were forgotten, want 1", n)
	}
	next := must(team.LoadPlaces(t.Context(), db))
	for who, known := range map[string]*team.Places{"this daemon": places, "the next one": next} {
		if known.Has("agent", at) || !known.Has("other", at) {
			t.Errorf("%s knows of agent %v, of other %v", who, known.Has("agent", at), known.Has("other", at))
		}
	}
}
