package parley

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a text safe for a terminal; it is applied once, when a text is accepted.
// The result is valid UTF-8 with LF as the only line break. It contains no control
// characters but LF and TAB, so that no escape sequence can end a bracketed paste, no DEL,
// no C1, no characters that reorder the text on a screen, and no invisible ones except within
// emoji and in the scripts that need them. Space and blank lines at the end are removed; a text
// of nothing else becomes empty.
func Clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")

	var b strings.Builder
	before := rune(-1) // the last character that was kept
	for at := 0; at < len(text); {
		if flag := flagAt(text[at:]); flag != "" {
			b.WriteString(flag)
			at, before = at+len(flag), blackFlag
			continue
		}

		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if r = cleanRune(r, before, text[at:]); r >= 0 {
			b.WriteRune(r)
			before = r
		}
	}

	return strings.TrimRightFunc(b.String(), unicode.IsSpace)
}

// cleanRune returns what stands for a character in a clean text between the last character that
// was kept and the text behind it; -1 for nothing.
func cleanRune(r, before rune, behind string) rune {
	switch {
	case r == '\r', r == '\u2028', r == '\u2029': // line and paragraph separators break lines too
		return '\n'
	case r == '\n', r == '\t':
		return r
	case r == utf8.RuneError, unicode.IsControl(r), isBidi(r), isIgnorable(r) && !isNeeded(r, before, behind):
		return -1
	}
	return r
}

// Visible reports whether a text has a character that shows: not only space and
// characters without width.
func Visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// CleanLine is Clean for texts of one line, such as titles, roles and reasons. Line breaks
// and tabs become spaces.
func CleanLine(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

// isBidi reports whether a character changes the direction of writing: with such
// characters a text can show something other than it says.
func isBidi(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// Truncate shortens a text to at most n characters, of which the last is an ellipsis if
// something was cut.
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

// CleanLines cleans short texts as CleanLine does, and drops the empty and the repeated.
func CleanLines(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text = CleanLine(text); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
