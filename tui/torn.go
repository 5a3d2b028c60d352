package tui

import (
	"bytes"
	"os"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// wholeInput is a terminal whose reads end where a key does. On a slow line the rest of a mouse report, of the mark of
// a paste or of an Alt key comes later, and its letters would be taken for keys.
type wholeInput struct {
	*os.File
	held []byte                        // what has begun
	late bool                          // Escape was read as a key: the rest may still come
	more func(wait time.Duration) bool // whether there is more to read within a time
}

func newWholeInput(f *os.File) *wholeInput {
	return &wholeInput{File: f, more: func(wait time.Duration) bool {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(wait.Milliseconds()))
		return err == nil && n > 0
	}}
}

const escape = 0x1b

// How long what a person may have typed by itself is waited for: Escape, and what a terminal answers.
const (
	escapeWaits = 100 * time.Millisecond
	answerWaits = time.Second
)

// Read returns whole keys. What has begun is kept for the next read, which comes when there is more.
func (w *wholeInput) Read(p []byte) (int, error) {
	n := copy(p, w.held)
	w.held = nil
	for {
		got, err := w.File.Read(p[n:])
		n += got
		if err != nil {
			return n, err
		}
		n = w.withoutRest(p[:n])

		end := wholeLength(p[:n])
		if end == n || n == len(p) {
			return n, nil
		}

		switch rest := p[end:n]; {
		case len(bytes.TrimLeft(rest, "\x1b")) == 0:
			if w.late = !w.more(escapeWaits); w.late {
				return n, nil
			}
		case len(rest) > 1 && isText(rest[1]):
			if !w.more(answerWaits) {
				return end, nil // nobody types that
			}
		default:
			w.held = append(w.held, rest...)
			return end, nil
		}
	}
}

// withoutRest removes what belongs to an Escape that was read as a key, and returns what is left: a person types no
// two letters at once.
func (w *wholeInput) withoutRest(in []byte) int {
	rest := w.late && len(in) > 1 && (in[0] == '[' || in[0] == 'O')
	w.late = false
	if !rest {
		return len(in)
	}
	if n := keyLength(append([]byte{escape}, in...)); n > 0 {
		return copy(in, in[n-1:])
	}
	w.late, w.held = true, bytes.Clone(in)
	return 0
}

// isText reports whether a text follows Escape and a letter, which ends with a bell or with Escape and \.
func isText(letter byte) bool {
	return letter == ']' || letter == 'P' || letter == '_' || letter == '^' || letter == 'X'
}

// wholeLength returns how much of an input is whole.
func wholeLength(in []byte) int {
	at := 0
	for at < len(in) {
		n := keyLength(in[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// keyLength returns the length of the first key of an input, 0 if it has only begun.
func keyLength(in []byte) int {
	switch {
	case in[0] != escape && !utf8.FullRune(in):
		return 0
	case in[0] != escape:
		_, n := utf8.DecodeRune(in)
		return n
	case len(in) == 1:
		return 0
	case in[1] == '[':
		for i := 2; i < len(in); i++ {
			if in[i] < ' ' || in[i] > '?' { // neither a parameter nor what stands before the last letter
				return i + 1
			}
		}
		return 0
	case isText(in[1]):
		for i := 2; i < len(in); i++ {
			if in[i] == '\a' || in[i] == '\\' && in[i-1] == escape {
				return i + 1
			}
		}
		return 0
	case in[1] == 'O' && len(in) < 3:
		return 0
	case in[1] == 'O':
		return 3
	}
	if n := keyLength(in[1:]); n > 0 {
		return 1 + n
	}
	return 0
}
