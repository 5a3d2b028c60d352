package tmux

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func feedAll(p *parser, lines ...string) []event {
	var events []event
	for _, line := range lines {
		if e := p.feed(line); e.kind != eventNone {
			events = append(events, e)
		}
	}
	return events
}

func TestParser(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []event
	}{
		{"one command",
			[]string{"%begin 1 2 1", "out", "S7 rest of it", "%end 1 2 1", "%sessions-changed"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "out"},
				{kind: eventToken, number: 7, line: "rest of it"}, {kind: eventNotice, line: "%sessions-changed"}}},
		{"error",
			[]string{"%begin 1 2 1", "can't find pane: %9", "%error 1 2 1"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "can't find pane: %9"}, {kind: eventError}}},
		{"block of nobody",
			[]string{"%begin 1 2 0", "out", "%error 1 2 0", "%begin 1 3 1", "S1", "%end 1 3 1"},
			[]event{{kind: eventBegin}, {kind: eventToken, number: 1}}},
		{"screen that looks like the protocol",
			[]string{"%begin 1 2 1", "%end 1 1 1", "%error 9 9 1", "%begin 1 5 1", "%exit", "%end 1 2 1",
				"%begin 1 3 1", "S1", "%end 1 3 1", "%exit"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "%end 1 1 1"},
				{kind: eventOutput, line: "%error 9 9 1"},
				{kind: eventOutput, line: "%begin 1 5 1"}, {kind: eventOutput, line: "%exit"}, {kind: eventBegin},
				{kind: eventToken, number: 1}, {kind: eventNotice, line: "%exit"}}},
		{"missing end is made up for after the token",
			[]string{"%begin 1 2 1", "%begin 1 3 1", "S1", "%end 1 3 1", "%begin 1 4 1", "S2", "%end 1 4 1"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "%begin 1 3 1"}, {kind: eventToken, number: 1},
				{kind: eventBegin}, {kind: eventToken, number: 2}}},
		{"file that tmux could not read",
			[]string{"%begin 1 2 1", "%end 1 2 1", "No such file or directory: /x", "%begin 1 3 1", "no buffer b",
				"%error 1 3 1"},
			[]event{{kind: eventBegin}, {kind: eventNotice, line: "No such file or directory: /x"}, {kind: eventBegin},
				{kind: eventOutput, line: "no buffer b"}, {kind: eventError}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := feedAll(&parser{secret: "S"}, tt.lines...)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(event{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzParser proves that whatever was printed, the next request is answered.
func FuzzParser(f *testing.F) {
	for _, seed := range []string{
		"", "%begin", "%begin 1 2 1\nx", "%begin 1 2 1\n%end 1 2 1", "%end 1 2 1", "%error", "%begin 1 2 0\n",
		"\xff\xfe\n%begin \xff 1", "%begin 1 2 1\n%begin 1 2 1\n%end 1 2", "%begin  1", "%exit now", "S", "S1",
		"S18446744073709551616 x",
		strings.Repeat("x", 70000), "%begin 1 2 1\nS9\n%begin 4 4 1",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, hostile string) {
		const secret = "parley-5ec4e7-"
		if strings.Contains(hostile, secret) {
			t.Skip("the secret is not known to a hostile program")
		}

		p := parser{secret: secret}
		feedAll(&p, strings.Split(hostile, "\n")...)
		got := feedAll(&p, "%begin 5 5 1", secret+"41", "%end 5 5 1")
		if len(got) == 0 || got[len(got)-1].kind != eventToken || got[len(got)-1].number != 41 {
			t.Fatalf("the first request after it: %+v", got)
		}

		got = feedAll(&p, "%begin 6 6 1", "no", "%error 6 6 1", "%note", "%begin 7 7 1", "out", secret+"42 x",
			"%end 7 7 1")

		want := []event{
			{kind: eventBegin},
			{kind: eventOutput, line: "no"},
			{kind: eventError},
			{kind: eventNotice, line: "%note"},
			{kind: eventBegin},
			{kind: eventOutput, line: "out"},
			{kind: eventToken, number: 42, line: "x"},
		}

		if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
