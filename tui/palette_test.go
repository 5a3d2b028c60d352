package tui

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/op"
)

func TestPaletteHasEveryOperationAndAction(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 60)
	s.press(":")
	names := map[string]bool{}
	for _, c := range s.m.palette.found {
		names[c.name] = true
	}

	for _, op := range op.All {
		if names[op.Name] == op.Program {
			t.Errorf("%s: in the palette is %v, for programs only is %v", op.Name, names[op.Name], op.Program)
		}
	}

	for _, b := range append(s.m.shellKeys(), s.m.room.Shown().Keys()...) {
		if b.Name != "" && !names[b.Name] {
			t.Errorf("%s is not in the palette", b.Name)
		}
	}
}

func TestPaletteFindsTheBestMatch(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 40)
	for query, want := range map[string]string{
		"sendm": "send_message", "retryd": "retry_delivery", "rt": "read_terminal", "pau": "pause or resume",
		"backup": "backup", "explm": "explain_message", "steer": "steer", "ctd": "create_thread",
	} {
		s.press(":")
		s.typed(query)
		if found := s.m.palette.found; len(found) == 0 || found[0].name != want {
			t.Errorf("%q finds %+v first, want %s", query, found[:min(1, len(found))], want)
		}
		s.press("esc")
	}

	s.press(":")
	s.typed("qqqq")
	s.shows("Nothing matches.")
	s.press("enter", "esc")
	s.hides("No command matches.")
}

func TestPaletteCallsAnOperation(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.choose("coder")
	s.press(":")
	s.enters("read_term")
	s.shows(":read_terminal agent=coder", "* agent", "Lines above the screen to include.")
	s.enters("histry=3")
	s.shows("✗ ", "histry")
	for range "histry=3" {
		s.press("backspace")
	}

	s.enters("history=3")
	s.shows("▸ read_terminal", "Reading parser.go (212 lines)")
	s.hides("width:", "agent id:")
}

// What an operation did is a sentence, and no page of fields.
func TestPaletteTellsWhatWasDone(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press(":")
	s.enters("pause_comm")
	s.enters("paused=true")
	s.shows("Messages are paused.", "▸1 Traffic")
	s.hides("▸ pause_communication", "message:")
}

func TestPaletteAsksBeforeDestructiveOperations(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.choose("tester")
	s.press(":")
	s.enters("stop_agent")
	s.press("enter")
	s.shows("Run stop_agent agent=tester? It cannot be undone. y/n")
	s.press("4")
	if len(f.stopped) > 0 {
		t.Errorf("did %q without a yes", f.stopped)
	}

	s.press("enter", "y")
	if got, want := strings.Join(f.stopped, ","), "stop tester"; got != want {
		t.Errorf("did %q, want %q", got, want)
	}
}

func TestAnotherProgramGoesOnAfterAYes(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40, withPrograms)
	s.choose("tester")
	s.press("h")
	s.shows("Which program goes on for tester?", "goes on with the work of tester")
	s.enters("codex")
	s.shows("Hand tester over to codex?")
	if len(f.stopped) > 0 {
		t.Errorf("did %q without a yes", f.stopped)
	}
	s.press("y")
	s.shows("codex goes on for tester.")
	if len(f.stopped) != 1 || !strings.HasSuffix(f.stopped[0], " to codex") {
		t.Errorf("did %q", f.stopped)
	}
}

func TestArgumentsAreParsed(t *testing.T) {
	op := op.Find("launch_agent")
	for text, want := range map[string]url.Values{
		"":                            {},
		"coder":                       {"name": {"coder"}},
		`name=coder role="a \"b\" c"`: {"name": {"coder"}, "role": {`a "b" c`}},
		"coder -- claude --model x":   {"name": {"coder"}, "command": {"claude", "--model", "x"}},
		`name=""`:                     {"name": {""}},
	} {
		got, err := parseArgs(op, text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}

	for _, text := range []string{`name="a`, "coder more"} {
		if got, err := parseArgs(op, text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestExplainOpensAPage(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	s.press("i")
	s.shows("▸ Message 5f0c000a", "coder said it at noon.")
}

func TestAnswersOfThePaletteAreViews(t *testing.T) {
	usage := &parley.UsageResult{Programs: []parley.ProgramUsage{
		{AgentID: "5f0c", Agent: "coder", Program: "claude",
			Spending: parley.Spending{Tokens: parley.Tokens{Input: 82_000}, Cost: 2.5},
			Today:    parley.Spending{Tokens: parley.Tokens{Input: 41_000}}},
		{AgentID: "5f0d", Agent: "reviewer", Unknown: "no_reader"},
	}}
	for _, c := range []struct {
		res  any
		want string
	}{
		{usage, "agent     runs    today  in all  cost\n" +
			"coder     claude  41k    82k     2.50\n" +
			"reviewer                               no reader"},
		{&parley.UsageResult{}, "Nothing has been used yet."},
		{&parley.DiffAgentResult{Since: "0123"}, "Nothing has changed."},
		{&parley.ReadTerminalResult{AgentID: "5f0c", Lines: []string{"one", "two"}}, "one\ntwo"},
		{&parley.ExplainMessageResult{Story: []string{"It was sent.", "It was read."}}, "It was sent.\nIt was read."},
	} {
		if got := viewOf(c.res); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestAnswersAreWords(t *testing.T) {
	for answer, want := range map[string]string{
		`{"success":true,"error":null}`: "Done.",
		`{"success":true,"agent_id":"5f0c","auto_respond":false,"note":"two\nlines"}`: "agent id: 5f0c\n" +
			"auto respond: no\nnote: two\n  lines",
		`{"agents":[{"name":"coder","queued":2},{"name":"tester","groups":["a","b"]}]}`: "agents:\n  · name: coder\n" +
			"    queued: 2\n" +
			"  · name: tester\n    groups:\n      · a\n      · b",
		`[1,2]`: "· 1\n· 2",
		`{}`:    "Done.",
	} {
		if got, err := answerWords(json.RawMessage(answer)); err != nil || got != want {
			t.Errorf("%s: got\n%s\n%v, want\n%s", answer, got, err, want)
		}
	}
}

func TestWithoutAnotherProgramNoneGoesOn(t *testing.T) {
	s, _ := newBusyScreen(t, 120, 40)
	s.choose("tester")
	s.press("h")
	s.shows("No other program that parley knows is installed here")
}
