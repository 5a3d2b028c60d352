package plain

import (
	"fmt"
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
func Clean(text string) string { return strings.TrimRightFunc(CleanKeys(text), unicode.IsSpace) }

// CleanKeys is Clean for what a keyboard types: space at the end is a key like any other.
func CleanKeys(text string) string {
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

	return b.String()
}

// Reveal returns a text of a foreign terminal as Clean does, but for space, which stays, and what reorders
// text or does not show: it stands there as its number, such as <U+202E>.
func Reveal(text string) string {
	var b strings.Builder
	before := rune(-1)
	for at := 0; at < len(text); {
		if flag := flagAt(text[at:]); flag != "" {
			b.WriteString(flag)
			at, before = at+len(flag), blackFlag
			continue
		}

		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch shown := cleanRune(r, before, text[at:]); {
		case shown == r:
			b.WriteRune(r)
			before = r
		case isBidi(r), isIgnorable(r), shown >= 0:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}

	return b.String()
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

// isIgnorable reports whether programs show nothing for a character (Default_Ignorable_Code_Point
// of Unicode, and the marks of interlinear annotations). With such characters two texts can look
// alike and differ, and one can carry what nobody sees.
func isIgnorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case r >= 0x13430 && r <= 0x1345f, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // they are drawn, or place what is drawn
	}
	return unicode.Is(unicode.Cf, r)
}

// The ignorable characters that texts need.
const (
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	textStyle     = '\ufe0e'
	emojiStyle    = '\ufe0f'
	keycap        = '\u20e3'
	blackFlag     = '\U0001f3f4'
	firstSkinTone = '\U0001f3fb'
	lastSkinTone  = '\U0001f3ff'
)

// joinedScripts are the scripts in which joiners change what a word looks like.
var joinedScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Adlam,
	unicode.Hanifi_Rohingya, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
	unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Tai_Tham,
}

// tagFlags are the flags that are written with tag characters: of England, Scotland and Wales.
var tagFlags = []string{tagFlag("gbeng"), tagFlag("gbsct"), tagFlag("gbwls")}

func tagFlag(region string) string {
	const tag, end = 0xe0000, "\U000e007f"
	return string(blackFlag) + strings.Map(func(r rune) rune { return tag + r }, region) + end
}

// flagAt returns the flag of tag characters with which a text begins, or "".
func flagAt(text string) string {
	i := slices.IndexFunc(tagFlags, func(flag string) bool { return strings.HasPrefix(text, flag) })
	if i < 0 {
		return ""
	}
	return tagFlags[i]
}

// isNeeded reports whether an ignorable character belongs to what stands before it, the last
// character that was kept, and to the text behind it.
func isNeeded(r, before rune, behind string) bool {
	next, _ := utf8.DecodeRuneInString(behind)
	switch {
	case (r == joiner || r == nonJoiner) && unicode.In(before, joinedScripts...):
		return true
	case r == joiner:
		return endsEmoji(before) && isEmoji(next)
	case r == textStyle, r == emojiStyle:
		return isEmoji(before) || isKeycapBase(before) && next == keycap
	case r >= '\u180b' && r <= '\u180f': // of Mongolian
		return unicode.Is(unicode.Mongolian, before)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.Is(unicode.Han, before)
	}
	return false
}

// isEmoji reports whether a character can be an emoji: a symbol, or one of the few of another
// category.
func isEmoji(r rune) bool {
	return r > unicode.MaxASCII && r != utf8.RuneError && unicode.Is(unicode.So, r) ||
		strings.ContainsRune("‼⁉ℹ↔↕↖↗↘↙▶◀◾◽〰〽", r)
}

// endsEmoji reports whether a character can end an emoji to which another is joined.
func endsEmoji(r rune) bool {
	return isEmoji(r) || r == emojiStyle || r >= firstSkinTone && r <= lastSkinTone
}

func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }
