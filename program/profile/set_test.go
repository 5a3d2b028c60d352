package profile_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/program/transcript"
)

func builtin(t *testing.T) profile.Set {
	t.Helper()
	return must.Have(profile.Builtin())(t)
}

func find(t *testing.T, s profile.Set, name string) *profile.Profile {
	t.Helper()
	return must.Have(s.Find(name))(t)
}

func TestBuiltinProfilesSayHowMuchMayBeTyped(t *testing.T) {
	s := builtin(t)
	want := []string{
		"aider", "amp", "auggie", "claude", "cline", "codex", "copilot", "crush", "cursor-agent", "demo", "droid",
		"gemini",
		"generic", "grok", "kilo", "kimi", "omp", "opencode", "pi", "qwen",
	}
	if got := s.Names(); !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	generic := find(t, s, "generic")
	if !generic.OneLine || generic.InlineLines != 1 || generic.InlineBytes > 4095 || generic.HasMarkers() {
		t.Errorf("generic is not safe for a program that reads lines: %+v", generic)
	}

	demo := find(t, s, "demo")
	if demo.OneLine || !demo.HasMarkers() {
		t.Errorf("demo: %+v", demo)
	}
	if got, want := demo.Command, []string{"parley", "demo-agent"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A limit is a fact of one program: see its profile for the evidence.
func TestProfilesTakeWholeTexts(t *testing.T) {
	set, most := builtin(t), map[string]int{"crush": 900}
	for _, name := range set.Names() {
		p := find(t, set, name)
		if p.OneLine {
			most[name] = 3900
		}
		for lines, length := range map[int]int{1: 2000, 4: 120, 20: 2000, 60: 8000} {
			text := strings.TrimSpace(strings.Repeat(strings.Repeat("x", length/lines)+"\n", lines))
			if p.OneLine {
				text = strings.ReplaceAll(text, "\n", " ")
			}
			if got, want := p.Fits(text), most[name] == 0 || length <= most[name]; got != want {
				t.Errorf("%s: %d lines and %d characters fit: %t, want %t", name, lines, length, got, want)
			}
		}
	}
}

func TestUnknownProfileNamesTheNearest(t *testing.T) {
	_, err := builtin(t).Find("genric")
	if got, want := parley.ErrorCode(err), parley.InvalidArgument; got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
	if got := parley.AsError(err).Action; !strings.Contains(got, `"generic"`) ||
		!strings.Contains(got,
			"aider, amp, auggie, claude, cline, codex, copilot, crush, cursor-agent, demo, droid, gemini, generic, "+
				"grok, kilo, "+
				"kimi, omp, opencode, pi, qwen") {
		t.Errorf("got %q", got)
	}
}

func TestOverrideChangesOnlyItsKeys(t *testing.T) {
	before := builtin(t)
	s := must.Have(before.With("demo", []byte("settle: 1s\nmarkers:\n  idle: '^ready'\n  composer: ''\n")))(t)

	was, is := find(t, before, "demo"), find(t, s, "demo")
	if is.Settle != time.Second || is.Markers.Idle != "^ready" {
		t.Errorf("not changed: %+v", is)
	}
	if is.Markers.Busy != was.Markers.Busy || is.TakenWithin != was.TakenWithin || !cmp.Equal(is.Command, was.Command) {
		t.Errorf("changed too much: got %+v, want the rest as in %+v", is, was)
	}
	if was.Settle == time.Second {
		t.Error("the set that With was called on has changed")
	}
	if got, want := is.Look([]string{"ready"}), profile.Idle; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNewProfileStartsFromGenericOrTheExtendedOne(t *testing.T) {
	s := load(t, map[string]string{
		"logger": "quiet: 3s", "robot2": "extends: robot", "same": "",
		"robot": "extends: demo\ncommand: [robot, -v]",
	})
	if p := find(t, s, "logger"); !p.OneLine || p.Quiet != 3*time.Second || p.Name != "logger" {
		t.Errorf("got %+v", p)
	}
	if p := find(t, s, "robot2"); p.OneLine || p.Command[0] != "robot" || !p.HasMarkers() {
		t.Errorf("got %+v", p)
	}
	if p := find(t, s, "same"); !p.OneLine {
		t.Errorf("got %+v", p)
	}
}

func TestBlockedCountsBeforeIdleAndIsInherited(t *testing.T) {
	s := load(t, map[string]string{
		"robot": "extends: demo\nmarkers: {idle: '^ready', composer: '', busy: '^working', blocked: {usage limit: " +
			"'^limit'}}\n",
		"robot2": "extends: robot\nmarkers: {blocked: {compaction: '^compacting'}}\n",
	})

	for _, test := range []struct {
		robot string
		lines []string
		want  profile.State
		what  string
	}{
		{"robot", []string{"limit reached", "ready"}, profile.Blocked, "usage limit"},
		{"robot", []string{"limit reached", "working", "ready"}, profile.Busy, "usage limit"},
		{"robot", []string{"compacting", "ready"}, profile.Idle, ""},
		{"robot2", []string{"compacting", "ready"}, profile.Blocked, "compaction"},
		{"robot2", []string{"limit reached", "ready"}, profile.Blocked, "usage limit"},
	} {
		p := find(t, s, test.robot)
		got, what := p.Look(test.lines), p.Read(profile.Screen{Lines: test.lines}).Cause
		if got != test.want || what != test.what {
			t.Errorf("%s, %q: got %v by %q, want %v by %q", test.robot, test.lines, got, what, test.want, test.what)
		}
	}
}

func TestFaultyProfileIsRefusedWithAHint(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"x", "setle: 1s", `Did you mean "settle"?`},
		{"x", "markers: {dialogue: x}", `Did you mean "dialog"?`},
		{"x", "settle: 200", "YAML"},
		{"x", "settle: soon", "YAML"},
		{"x", "settle: -1s", "Give a time"},
		{"x", "quiet: 11m", "Give a time"},
		{"x", "inline_bytes: -1", "number above 0"},
		{"x", "key: q", "Enter or Tab"},
		{"x", "key: ''", "Enter or Tab"},
		{"x", "command: ['']", "program"},
		{"x", "markers: {busy: '(?!x)'}", "regular expression"},
		{"x", "markers: {blocked: {limit: '(?!x)'}}", "regular expression"},
		{"x", "queue_key: Space", "Enter or Tab"},
		{"x", "tested: [latest]", "versions"},
		{"x", "tested: ['1.2 or so']", "versions"},
		{"x", "markers: {composer: 'abc'}", "(?P<text>"},
		{"x", "extends: generik", `Did you mean "generic"?`},
		{"x", "settle: 1s\nsettle: 2s", "YAML"},
		{"x", "- a", "YAML"},
		{"x", "a: [", "YAML"},
		{"Upper", "quiet: 1s", "lower-case"},
		{"", "quiet: 1s", "lower-case"},
	} {
		_, err := builtin(t).With(test.name, []byte(test.yaml))
		if got, want := parley.ErrorCode(err), parley.InvalidArgument; got != want {
			t.Errorf("%q: got %v (%v), want %v", test.yaml, got, err, want)
			continue
		}

		if got := parley.AsError(err).Action; !strings.Contains(got, test.want) {
			t.Errorf("%q: %v: got the hint %q, want one with %q", test.yaml, err, got, test.want)
		}
	}
}

// One's own profiles are added in the order in which they extend each other, and what is wrong with one concerns those
// alone that need it.
func TestWhatIsWrongWithAProfileConcernsItAlone(t *testing.T) {
	set, wrong := profile.Load(map[string]string{
		"a": "extends: b", "b": "extends: c", "c": "settle: 1s", // found in any order
		"x": "setle: 1s", "y": "extends: x", "round": "extends: trip", "trip": "extends: round",
		"claude": "settle: soon", "mine": "extends: claude", "codex": "extends: codex\nsettle: 3s",
	})
	want := []string{"claude", "round", "trip", "x", "y"}
	if got := slices.Sorted(maps.Keys(wrong)); !cmp.Equal(got, want) {
		t.Errorf("wrong are %v, want %v: %v", got, want, wrong)
	}
	if p := find(t, set, "a"); p.Settle != time.Second {
		t.Errorf("a settles %v", p.Settle)
	}
	if p, was := find(t, set, "mine"), find(t, builtin(t), "claude"); p.Settle != was.Settle || !p.HasMarkers() {
		t.Errorf("mine: %+v", p)
	}
	if p := find(t, set, "codex"); p.Settle != 3*time.Second || !p.HasMarkers() {
		t.Errorf("codex: %+v", p)
	}
}

// load returns the profiles with one's own, which have no mistake.
func load(t *testing.T, own map[string]string) profile.Set {
	t.Helper()
	set, wrong := profile.Load(own)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return set
}

func TestProfileListsTestedVersionsAndHowToAsk(t *testing.T) {
	set := must.Have(builtin(t).With("robot", []byte("extends: claude\nversion: [version, -q]\ntested: [3.4]\n")))(t)

	for _, test := range []struct {
		name            string
		version, tested []string
	}{
		{"claude", []string{"--version"}, []string{"2.1.332", "2.1.197"}},
		{"generic", []string{"--version"}, nil},
		{"robot", []string{"version", "-q"}, []string{"3.4"}},
	} {
		p := find(t, set, test.name)
		if !cmp.Equal(p.Version, test.version) || !cmp.Equal(p.Tested, test.tested) {
			t.Errorf("%s: got %q and %q, want %q and %q", test.name, p.Version, p.Tested, test.version, test.tested)
		}
	}
}

// An untested profile has no guesses about a screen, and its summary says so.
func TestUntestedProfilesSaySo(t *testing.T) {
	set := builtin(t)
	for _, name := range []string{"aider", "amp", "cursor-agent"} {
		p := find(t, set, name)
		if len(p.Tested) > 0 || !strings.Contains(p.Summary, "not tried") || p.HasMarkers() || p.QueueKey != "" ||
			!p.OneLine {
			t.Errorf("%s: %q, tried with %q, markers: %v, one line: %v, queue %q", name, p.Summary, p.Tested,
				p.HasMarkers(), p.OneLine, p.QueueKey)
		}
	}

	h := must.Have(find(t, set, "aider").Handover.Render(profile.Values{Name: "ann", ID: "1a2b3c4d-0000",
		Dir: "/d"}))(t)
	if got, want := h.Args, []string{"--read", "/d/briefing.md"}; !cmp.Equal(got, want) {
		t.Errorf("aider gets %q, want %q", got, want)
	}

	if text := h.Files["briefing.md"]; !strings.Contains(text, "You are ann (agent 1a2b3c4d)") ||
		!strings.Contains(text, "parley send") ||
		strings.Contains(text, "MCP") {
		t.Errorf("aider is told %q", text)
	}
}

func TestVersionIsFoundInWhatProgramsPrint(t *testing.T) {
	for _, test := range []struct{ printed, want string }{
		{"2.1.329 (Claude Code)\n", "2.1.329"},
		{"codex-cli 0.169.0\n", "0.169.0"},
		{"GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n", "1.0.102"},
		{"no version\n", ""},
	} {
		if got := profile.VersionIn(test.printed); got != test.want {
			t.Errorf("%q: got %q, want %q", test.printed, got, test.want)
		}
	}
}

func TestTitlesOfRealProgramsAreUnderstood(t *testing.T) {
	codex := find(t, builtin(t), "codex")
	for text, want := range map[string]parley.AgentState{
		"⠙ shop":                       parley.StateBusy,
		"⠋ shop":                       parley.StateBusy,
		"[ ! ] Action Required | shop": parley.StateWaiting,
		"[ . ] Action Required | shop": parley.StateWaiting,
		"shop":                         "",
		"":                             "",
	} {
		if got, _ := codex.Title(text); got.State != want {
			t.Errorf("%q says %q, want %q", text, got.State, want)
		}
	}
}

// How a program's transcripts are read is part of its profile: one that extends it reads them alike, and a
// workspace may teach another.
func TestProfilesSayHowTranscriptsAreRead(t *testing.T) {
	set := load(t, map[string]string{"mine": "extends: qwen", "other": "transcript:\n  name: other\n" +
		"  uses: {lines: {where: {type: answer}}, id: [id], at: time, model: model, input: [in], output: [out]}\n"})
	if got := find(t, set, "mine").Transcript.Name; got != "qwen" {
		t.Errorf("the one that extends qwen reads %q", got)
	}

	line := `{"type":"answer","id":7,"time":1795200000000,"model":"m","in":3,"out":4}`
	rec, err := set.Transcript("other").Read([]byte(line), &transcript.State{})
	if err != nil || rec == nil || rec.ID != "7" || rec.Tokens != (parley.Tokens{Input: 3, Output: 4}) ||
		rec.At.IsZero() {
		t.Errorf("got %+v, %v", rec, err)
	}

	if set.Transcript("none") != nil || set.Transcript("") != nil {
		t.Error("a transcript that no profile describes is read")
	}
	_, err = set.With("x", []byte("transcript: {name: x, kind: tape}"))
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("an unknown kind: %v", err)
	}
}

// A program that is misread is typed to as any program, and is otherwise itself.
func TestACarefulProfileTypesAsGeneric(t *testing.T) {
	s := builtin(t)
	anyProgram := find(t, s, profile.Default)
	for _, name := range s.Names() {
		p, c := find(t, s, name), must.Have(s.Careful(name))(t)
		if c.HasMarkers() || !cmp.Equal(c.Markers, anyProgram.Markers) || c.OneLine != anyProgram.OneLine ||
			c.InlineBytes != anyProgram.InlineBytes || c.QueueKey != "" || c.Key != anyProgram.Key {
			t.Errorf("%s is not typed to as any program: %+v", name, c)
		}
		screen := profile.Screen{Lines: []string{"Overwrite it? [y/N]"}, Width: 40, CursorX: 20}
		if got, want := c.Asks(screen), anyProgram.Asks(screen); got != want || want.For == "" {
			t.Errorf("%s asks for %+v, want %+v", name, got, want)
		}
		if c.Name != name || !cmp.Equal(c.Handover, p.Handover) || !cmp.Equal(c.Session, p.Session) ||
			!cmp.Equal(c.Reports, p.Reports) || !cmp.Equal(c.Titles, p.Titles) {
			t.Errorf("%s is another program: %+v", name, c)
		}
		if again := find(t, s, name); again.HasMarkers() != p.HasMarkers() {
			t.Errorf("the profile %s has changed", name)
		}
	}
	if _, err := s.Careful("nothing"); err == nil {
		t.Error("there is such a profile")
	}
}
