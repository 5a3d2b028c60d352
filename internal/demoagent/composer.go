package demoagent

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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

// text returns the text to submit.
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
