package courier

import (
	"errors"
	"testing"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store/storetest"
	"parley/tmux"
)

// readerHost is a machine with one terminal.
type readerHost struct {
	host
	argv      []string
	canonical bool
	reads     tmux.Reads
	untold    error
}

func (h readerHost) Leader(*team.Terminal) ([]string, error)  { return h.argv, nil }
func (h readerHost) Canonical(*team.Terminal) (bool, error)   { return h.canonical, nil }
func (h readerHost) Reads(*team.Terminal) (tmux.Reads, error) { return h.reads, h.untold }
func (h readerHost) Echo(*team.Terminal) (bool, error)        { return h.canonical, nil }

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
	for program, words := range map[string]string{"agent": "settled:", "ssh box": "$"} {
		if err := places.Add(t.Context(), program, profile.Place{Words: words}); err != nil {
			t.Fatal(err)
		}
	}
	places = must(team.LoadPlaces(t.Context(), db)) // as another daemon does

	readers := map[string]readerHost{
		"raw":            {argv: []string{"agent"}, reads: tmux.ReadsNot},
		"reads lines":    {argv: []string{"agent"}, canonical: true, reads: tmux.ReadsInput},
		"may read":       {argv: []string{"agent"}, canonical: true},
		"does not read":  {argv: []string{"agent"}, canonical: true, reads: tmux.ReadsNot},
		"untold":         {argv: []string{"agent"}, canonical: true, untold: errors.ErrUnsupported},
		"untold script":  {argv: []string{"sh", "-c", "x; agent"}, canonical: true, untold: errors.ErrUnsupported},
		"passes it on":   {argv: []string{"ssh", "box"}},
		"another's host": {argv: []string{"ssh", "other"}},
	}
	const goes, asks, none = parley.ReasonCode(""), parley.HoldNewPlace, parley.HoldNoReader
	for name, want := range map[string]map[string]parley.ReasonCode{
		"raw":            {"": goes, "> ": goes, "$ ": goes, "Username: ": asks, settled: goes},
		"reads lines":    {"": goes, "> ": goes, "$ ": goes, "Username: ": asks, settled: goes},
		"may read":       {"": asks, "> ": goes, "$ ": goes, "Username: ": asks, settled: goes},
		"does not read":  {"": none, "> ": none, "$ ": none, "Username: ": none, settled: none},
		"untold":         {"": goes, "> ": goes, "$ ": goes, "Username: ": asks, settled: goes},
		"untold script":  {"": asks, "> ": goes, "$ ": goes, "Username: ": asks, settled: asks},
		"passes it on":   {"": asks, "> ": asks, "$ ": goes, "Username: ": asks, settled: asks},
		"another's host": {"": asks, "> ": asks, "$ ": asks, "Username: ": asks, settled: asks},
	} {
		for prompt, code := range want {
			h := readers[name]
			on := &team.Terminal{Profile: generic(), Places: places}
			if got := spotOn(h, on, promptScreen(prompt)); got.code != code {
				t.Errorf("%s at %q: %q, want %q", name, prompt, got.code, code)
			}
		}
	}
}

// A list above a sign is a menu, unless the program has taken a message behind that sign before.
func TestASignThatHasTakenAMessageIsNoMenu(t *testing.T) {
	h := readerHost{argv: []string{"agent"}}
	menu := &tmux.Screen{Lines: []string{"1) one", "2) two", "> ", ""}, Width: 80, Height: 24, CursorX: 2, CursorY: 2}
	on := &team.Terminal{Profile: generic()}
	if got := spotOn(h, on, menu); got.code != parley.HoldNewPlace {
		t.Errorf("at first: %q", got.code)
	}
	on.NoteTaken(profile.Place{Words: ">"})
	if got := spotOn(h, on, menu); got.code != "" {
		t.Errorf("after a message: %q", got.code)
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
		a := &attempt{text: &typed{letter: letter{text: text}}, memory: &memory{place: c.before}}
		o := &observation{place: func() spot { return spot{at: c.at, code: parley.HoldNewPlace} }}
		o.profile = &profile.Profile{}
		if h := a.misplaced(o); h.none() == c.waits {
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
