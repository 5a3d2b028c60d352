package tui

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// keysWhole are inputs of which a part must never be taken for a key.
var keysWhole = map[string]string{
	"a mouse report": "\x1b[<35;112;47M", "a paste": "\x1b[200~1 y\n2\x1b[201~", "alt and a letter": "\x1bq",
	"an arrow": "\x1b[1;5A", "F1": "\x1bOP", "a key with its event": "\x1b[97;5:1u",
	"the colour of the background": "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "the same with a bell": "\x1b]11;rgb:0/0/0\a",
	"the name of the terminal": "\x1bP>|tmux 3.4\x1b\\", "a letter of three bytes": "写",
	"alt and one of two": "\x1bé", "alt and an arrow": "\x1b\x1b[A",
}

// Whatever comes in two halves is read as one, wherever it is torn; keys around it are read as they are.
func TestTornInputIsNoKey(t *testing.T) {
	for what, input := range keysWhole {
		for at := 1; at < len(input); at++ {
			first, second := "j"+input[:at], input[at:]+"k"
			var reads []string
			r, w, err := os.Pipe()
			must.Do(t, err)
			sent := false
			send := func(time.Duration) bool {
				if !sent {
					sent = true
					must.Have(w.WriteString(second))(t)
				}
				return true
			}
			in := &wholeInput{File: r, more: send}
			must.Have(w.WriteString(first))(t)
			p := make([]byte, 4096)
			for len(bytes.Join(toBytes(reads), nil)) < len(first+second) {
				n := must.Have(in.Read(p))(t)
				reads = append(reads, string(p[:n]))
				send(0)
			}
			must.Do(t, w.Close())
			must.Do(t, r.Close())

			read := 0
			for _, part := range reads {
				if read += len(part); what != "a paste" && read > 1 && read < 1+len(input) {
					t.Errorf("%s torn at %d is read as %q", what, at, reads)
				}
			}
			if got := string(bytes.Join(toBytes(reads), nil)); got != "j"+input+"k" {
				t.Errorf("%s torn at %d is read as %q", what, at, got)
			}
		}
	}
}

func toBytes(parts []string) (all [][]byte) {
	for _, p := range parts {
		all = append(all, []byte(p))
	}
	return all
}

// What follows an Escape that was taken for a key, as its rest was late, is none.
func TestTheRestOfAnEscapeIsNoKey(t *testing.T) {
	for rest, want := range map[string]string{
		"[<35;112;47Mj": "j", "[<35;1 2;47Mj": "j", "[A": "", "OPj": "j", "[": "[", "j": "j", "q[": "q[",
	} {
		r, w, err := os.Pipe()
		must.Do(t, err)
		in := &wholeInput{File: r, more: func(time.Duration) bool { return false }}
		p := make([]byte, 4096)
		got := ""
		for _, part := range append([]string{"\x1b"}, strings.Fields(rest)...) {
			must.Have(w.WriteString(part))(t)
			n := must.Have(in.Read(p))(t)
			got += string(p[:n])
		}
		if got != "\x1b"+want {
			t.Errorf("Escape and %q are read as %q", rest, got)
		}
		must.Do(t, w.Close())
		must.Do(t, r.Close())
	}
}

// Escape alone is a key once nothing follows it, and what no terminal ends is dropped.
func TestEscapeAloneIsAKey(t *testing.T) {
	for input, want := range map[string]string{
		"\x1b": "\x1b", "j\x1b": "j\x1b", "\x1b\x1b": "\x1b\x1b", "j\x1b]11;rgb": "j",
	} {
		r, w, err := os.Pipe()
		must.Do(t, err)
		must.Have(w.WriteString(input))(t)
		p := make([]byte, 4096)
		n := must.Have((&wholeInput{File: r, more: func(time.Duration) bool { return false }}).Read(p))(t)
		if got := string(p[:n]); got != want {
			t.Errorf("%q is read as %q, want %q", input, got, want)
		}
		must.Do(t, w.Close())
		must.Do(t, r.Close())
	}
}
