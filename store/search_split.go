package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// splitWords splits a text into words as FTS5's tokenizer unicode61 does: at everything that is
// neither letter nor digit, without regard to case and accents.
func splitWords(text string) []string {
	if isASCII(text) {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !wordRune(r) })
	}

	plain := strings.Map(func(r rune) rune {
		if isAccent(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))

	return strings.FieldsFunc(plain, func(r rune) bool { return !wordRune(r) })
}

// isAccent reports whether unicode61 leaves a rune out of the word in which it stands.
func isAccent(r rune) bool { return r >= 0x300 && r <= 0x331 }

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
