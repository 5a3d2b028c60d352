package tmux

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/internal/must"
)

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

func TestConnAnswersInOrder(t *testing.T) {
	c := &conn{secret: "S", wake: make(chan struct{}, 1), lost: make(chan struct{}), writing: true}
	var waits []chan reply
	for range 3 {
		r := &request{done: make(chan reply, 1)}
		must.Do(t, c.enqueue(r, func(token string) string { return "x " + token }))
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
		err := c.enqueue(&request{done: make(chan reply, 1)}, func(string) string { return bad })
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("line %q: %v", bad, err)
		}
	}
}
