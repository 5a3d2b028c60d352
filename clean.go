package parley

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text safe for a terminal, once, when it is accepted. What comes
// out is valid UTF-8 with LF as the only line break; it holds no control
// character but LF and TAB (so no escape sequence can end a bracketed paste), no
// DEL, no C1, and no character that reorders what a person sees. Blank lines
// and spaces at the end are gone. A text of nothing else comes out empty.
func Clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029': // line and paragraph separators break lines too
			return '\n'
		case r == '\n', r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r), isBidi(r):
			return -1
		}

		return r
	}, text)

	return strings.TrimRightFunc(text, unicode.IsSpace)
}

// Visible reports whether a text shows anything: what has no width shows nothing.
func Visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// CleanLine is Clean for what must stay on one line: titles, names of roles,
// reasons. Line breaks and tabs become spaces.
func CleanLine(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

// CleanLines cleans each of the texts as CleanLine does, and drops empty ones and
// repetitions.
func CleanLines(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = CleanLine(t); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// isBidi reports the characters that override or isolate the direction of
// writing: with them a text can show something other than it says.
func isBidi(r rune) bool {
	switch r {
	case 0x061c, 0x200e, 0x200f:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Truncate cuts text to at most n characters, the last of them an ellipsis
// when something was cut.
func Truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}
