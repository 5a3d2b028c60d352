package tmux

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

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
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "out"}, {kind: eventToken, number: 7, line: "rest of it"}, {kind: eventNotice, line: "%sessions-changed"}}},
		{"error",
			[]string{"%begin 1 2 1", "can't find pane: %9", "%error 1 2 1"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "can't find pane: %9"}, {kind: eventError}}},
		{"block of nobody",
			[]string{"%begin 1 2 0", "out", "%error 1 2 0", "%begin 1 3 1", "S1", "%end 1 3 1"},
			[]event{{kind: eventBegin}, {kind: eventToken, number: 1}}},
		{"screen that looks like the protocol",
			[]string{"%begin 1 2 1", "%end 1 1 1", "%error 9 9 1", "%begin 1 5 1", "%exit", "%end 1 2 1", "%begin 1 3 1", "S1", "%end 1 3 1", "%exit"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "%end 1 1 1"}, {kind: eventOutput, line: "%error 9 9 1"},
				{kind: eventOutput, line: "%begin 1 5 1"}, {kind: eventOutput, line: "%exit"}, {kind: eventBegin},
				{kind: eventToken, number: 1}, {kind: eventNotice, line: "%exit"}}},
		{"missing end is made up for after the token",
			[]string{"%begin 1 2 1", "%begin 1 3 1", "S1", "%end 1 3 1", "%begin 1 4 1", "S2", "%end 1 4 1"},
			[]event{{kind: eventBegin}, {kind: eventOutput, line: "%begin 1 3 1"}, {kind: eventToken, number: 1}, {kind: eventBegin}, {kind: eventToken, number: 2}}},
		{"file that tmux could not read",
			[]string{"%begin 1 2 1", "%end 1 2 1", "No such file or directory: /x", "%begin 1 3 1", "no buffer b", "%error 1 3 1"},
			[]event{{kind: eventBegin}, {kind: eventNotice, line: "No such file or directory: /x"}, {kind: eventBegin}, {kind: eventOutput, line: "no buffer b"}, {kind: eventError}}},
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
		"\xff\xfe\n%begin \xff 1", "%begin 1 2 1\n%begin 1 2 1\n%end 1 2", "%begin  1", "%exit now", "S", "S1", "S18446744073709551616 x",
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

func TestReadLineCutsHugeLines(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 3*maxLine)+"\nnext\r\nlast"), 4096)
	first, err := readLine(in)
	if err != nil || len(first) != maxLine {
		t.Errorf("got %d bytes, %v; want %d", len(first), err, maxLine)
	}
	if second, err := readLine(in); err != nil || second != "next" {
		t.Errorf("got %q, %v", second, err)
	}
	if _, err := readLine(in); err != io.EOF {
		t.Errorf("got %v, want EOF", err)
	}
}

func TestQuoteUsesOnlyPrintableBytes(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	for _, c := range []byte(quote(string(all))) {
		if c < 0x20 || c > 0x7e {
			t.Errorf("byte %#x", c)
		}
	}
	if got, want := quote("~a~\"$\\\n"), `"\176a~\"\$\\\012"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSplitFields(t *testing.T) {
	got := splitFields(`a|b\|c||d\\|\ x`)
	if diff := cmp.Diff([]string{"a", "b|c", "", `d\`, " x"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestVersions(t *testing.T) {
	for text, ok := range map[string]bool{
		"tmux 3.3a\n": true, "tmux 3.2": true, "tmux 3.2a": true, "tmux 3.1c": false, "tmux 2.9": false, "tmux 4.0": true,
		"tmux next-3.4": true, "tmux master": true, "tmux openbsd-7.4": true, "tmux 3.10": true, "tmux 3": false,
	} {
		v := parseVersion(text)
		if err := v.check(); (err == nil) != ok || err != nil && !errors.Is(err, ErrTooOld) {
			t.Errorf("%q: %+v: %v", text, v, err)
		}
	}
}

func TestErrorTextIsClassified(t *testing.T) {
	for text, want := range map[string]error{
		"can't find pane: %3": ErrNoPane, "no such pane: %3": ErrNoPane, "can't find session: x": ErrNoSession, "duplicate session: x": ErrSessionExists,
		"no buffer b-1": ErrNoBody, "unknown buffer: b-1": ErrNoBody, "no sessions": ErrNoServer,
		"error connecting to /tmp/x (No such file or directory)": ErrNoServer, "no server running on /tmp/x": ErrNoServer,
	} {
		if err := error(&CommandError{Text: text}); !errors.Is(err, want) {
			t.Errorf("%q is not %v", text, want)
		}
	}
}

func TestCheckTextKeepsNothingUnsafe(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		text := "a" + string(r)
		if !utf8.ValidRune(r) {
			continue
		}
		want := r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f ||
			r > 0x9f && !(r >= 0x202a && r <= 0x202e) && !(r >= 0x2066 && r <= 0x2069)
		if got := checkText(text) == nil; got != want {
			t.Errorf("%U: allowed %v, want %v", r, got, want)
		}
	}
}

func TestShells(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "-bash": true, "/bin/zsh -l": true, "-zsh": true, "sh -i": true, "bash --norc --noprofile": true, "fish": true,
		"pwsh -NoLogo": true, "dash +x": true, "/usr/bin/nu": true, "xonsh": true, "ksh -o": true,
		"bash -c": false, "bash -lc true": false, "sh script.sh": false, "bash script": false, "claude": false, "node bash": false,
		"python3 -i": false, "": false, "pwsh -File x": false, "fish --command=ls": false, "bash -": false,
	} {
		if got := IsShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

func TestScreenTail(t *testing.T) {
	lines := []string{"%1|80|6|2|1|0|0|0|0|1|1|17|a\\|b|1|18", "a", "b  ", "c", "", " ", ""}
	s, err := parseScreen(lines, ScreenOptions{Tail: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "c"}, s.Lines); diff != "" || s.Top != 1 || !s.InputOff || !s.Shared ||
		s.CursorLine() != "b" ||
		s.Touched.Unix() != 17 ||
		s.Drawn.Unix() != 18 ||
		s.Title != "a|b" {
		t.Errorf("top %d, cursor line %q: %s", s.Top, s.CursorLine(), diff)
	}
}

func TestConnAnswersInOrder(t *testing.T) {
	c := &conn{secret: "S", wake: make(chan struct{}, 1), lost: make(chan struct{}), writing: true}
	var waits []chan reply
	for range 3 {
		r := &request{done: make(chan reply, 1)}
		if err := c.enqueue(r, func(token string) string { return "x " + token }); err != nil {
			t.Fatal(err)
		}
		waits = append(waits, r.done)
	}

	if want := "x S1\nx S2\nx S3\n"; string(c.queued) != want {
		t.Errorf("queued %q, want %q", c.queued, want)
	}

	p := parser{secret: "S"}
	var in bytes.Buffer
	in.WriteString("%begin 1 1 1\nbad\n%error 1 1 1\n%begin 1 2 1\nS3 third\n%end 1 2 1\n")
	for line := range strings.Lines(in.String()) {
		c.answer(p.feed(strings.TrimSuffix(line, "\n")))
	}

	var refused *CommandError
	if r := <-waits[0]; !errors.As(r.err, &refused) || refused.Text != "bad" {
		t.Errorf("first: %+v", r)
	}
	if r := <-waits[1]; !errors.Is(r.err, ErrDisconnected) {
		t.Errorf("second, whose reply was lost: %+v", r)
	}
	if r := <-waits[2]; r.err != nil || r.text != "third" {
		t.Errorf("third: %+v", r)
	}

	for _, bad := range []string{"", "a\nb"} {
		if err := c.enqueue(&request{done: make(chan reply, 1)}, func(string) string { return bad }); !errors.Is(err,
			ErrInvalid) {
			t.Errorf("line %q: %v", bad, err)
		}
	}
}
