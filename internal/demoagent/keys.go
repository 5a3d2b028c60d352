package demoagent

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type keyKind int

const (
	keyText keyKind = iota
	keyPaste
	keyEnter
	keyBackspace
	keyClear
	keyEscape
	keyUp
	keyDown
	keyInterrupt // Ctrl-C
	keyEnd       // Ctrl-D
)

type key struct {
	kind keyKind
	text string
}

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// arrows are the sequences of the arrow keys that have a meaning here.
var arrows = map[string]keyKind{"\x1b[A": keyUp, "\x1bOA": keyUp, "\x1b[B": keyDown, "\x1bOB": keyDown}

// keyReader turns a terminal's bytes into keys. It keeps an incomplete key until the
// rest arrives.
type keyReader struct {
	rest    []byte
	pasting bool // inside a framed paste
}

func (r *keyReader) read(b []byte) []key {
	r.rest = append(r.rest, b...)
	var keys []key
	for len(r.rest) > 0 {
		k, n, ok := r.next()
		if n == 0 {
			break
		}

		r.rest = r.rest[n:]
		if ok {
			keys = append(keys, k)
		}
	}

	return keys
}

// next returns the first key and its length in bytes, 0 if it is incomplete. It is not
// ok for a sequence without a meaning here.
func (r *keyReader) next() (k key, n int, ok bool) {
	if r.pasting {
		text, _, found := bytes.Cut(r.rest, []byte(pasteEnd))
		if !found {
			return key{}, 0, false
		}
		r.pasting = false
		return key{keyPaste, lineFeeds(string(text))}, len(text) + len(pasteEnd), true
	}

	switch c := r.rest[0]; {
	case c == 0x1b:
		n := r.sequence()
		k, ok := arrows[string(r.rest[:n])]
		return key{kind: k}, n, ok
	case c < ' ' || c == 0x7f:
		k, ok := control(c)
		return k, 1, ok
	}

	return r.typed()
}

// typed returns the characters up to the next control character as one key.
func (r *keyReader) typed() (key, int, bool) {
	n := 0
	for n < len(r.rest) && utf8.FullRune(r.rest[n:]) {
		c, size := utf8.DecodeRune(r.rest[n:])
		if unicode.IsControl(c) {
			break
		}
		n += size
	}
	return key{keyText, strings.ToValidUTF8(string(r.rest[:n]), "\uFFFD")}, n, true
}

// sequence returns the length of an escape sequence, 0 if it is incomplete. The one that
// begins a paste sets pasting.
func (r *keyReader) sequence() int {
	if bytes.HasPrefix(r.rest, []byte(pasteBegin)) {
		r.pasting = true
		return len(pasteBegin)
	}

	if len(r.rest) < 2 {
		return 0
	}

	switch r.rest[1] {
	case '[':
		for i, c := range r.rest[2:] {
			if c >= 0x40 && c <= 0x7e {
				return i + 3
			}
		}
		return 0
	case 'O':
		if len(r.rest) < 3 {
			return 0
		}
		return 3
	}

	return 2
}

// flush returns the Escape key if a lone escape byte is pending. Call it when no byte
// has followed for escapeWithin.
func (r *keyReader) flush() []key {
	if r.pasting || len(r.rest) != 1 || r.rest[0] != 0x1b {
		return nil
	}
	r.rest = nil
	return []key{{kind: keyEscape}}
}

func control(c byte) (key, bool) {
	switch c {
	case '\r':
		return key{kind: keyEnter}, true
	case '\n', '\t':
		return key{keyText, string(c)}, true
	case 0x7f, 0x08:
		return key{kind: keyBackspace}, true
	case 0x15:
		return key{kind: keyClear}, true
	case 0x03:
		return key{kind: keyInterrupt}, true
	case 0x04:
		return key{kind: keyEnd}, true
	}

	return key{}, false
}

func lineFeeds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// pasteLines is how many lines a paste must have to be shown by its name.
const pasteLines = 3

// composer is the unsubmitted text.
type composer struct {
	parts  []part
	pastes int // long pastes so far; numbers them
}

// part is typed text, or a long paste, which has a name.
type part struct {
	text, name string
}

func (c *composer) add(s string) {
	if n := len(c.parts); n > 0 && c.parts[n-1].name == "" {
		c.parts[n-1].text += s
		return
	}
	c.parts = append(c.parts, part{text: s})
}

func (c *composer) paste(s string) {
	lines := strings.Count(s, "\n")
	if lines < pasteLines {
		c.add(s)
		return
	}
	c.pastes++
	c.parts = append(c.parts, part{s, fmt.Sprintf("[Pasted text #%d +%d lines]", c.pastes, lines)})
}

// backspace removes a character, or a long paste as a whole.
func (c *composer) backspace() {
	n := len(c.parts) - 1
	if n < 0 {
		return
	}
	p := &c.parts[n]
	if p.name == "" {
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	}
	if p.name != "" || p.text == "" {
		c.parts = c.parts[:n]
	}
}

func (c *composer) clear() { c.parts = nil }

func (c *composer) text() string {
	var b strings.Builder
	for _, p := range c.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// shown returns the text with names in place of long pastes.
func (c *composer) shown() string {
	var b strings.Builder
	for _, p := range c.parts {
		if p.name != "" {
			b.WriteString(p.name)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
