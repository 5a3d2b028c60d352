package parley

import (
	"crypto/rand"
	"slices"
	"strings"
)

// sealWord stands before the seal in a footer.
const sealWord = "seal"

// sealLength is how many letters a seal has: 30 bits, in text that models read all day.
const sealLength = 6

// NewSeal returns a new seal: the secret word of one terminal. Its briefing names it, and only
// the footers that parley types there carry it, so that its program can tell them from imitations.
func NewSeal() string { return strings.ToLower(rand.Text()[:sealLength]) }

// hiddenSeal stands in place of each letter of a seal that is not shown.
const hiddenSeal = '*'

// HideSeal removes a terminal's seal from a text that others see, or that others have written
// for that terminal, however it is wrapped, framed and written there.
func HideSeal(text, seal string) string {
	if seal == "" {
		return text
	}

	word, signs := lettersOf(seal), lettersOf(text)
	hidden := map[int]bool{}
	for i := range signs {
		if !startsWith(signs[i:], looksAlike(word)) {
			continue
		}
		for _, s := range signs[i : i+len(word)] {
			hidden[s.at] = true
		}
	}

	if len(hidden) == 0 {
		return text
	}

	var b strings.Builder
	for at, r := range text {
		if hidden[at] {
			r = hiddenSeal
		}
		b.WriteRune(r)
	}

	return b.String()
}

// lettersOf returns the letters and digits that a text seems to consist of.
func lettersOf(text string) []sign {
	return slices.DeleteFunc(signsOf(text), func(s sign) bool {
		return !isLetter(s.looks) && (s.looks < '0' || s.looks > '9')
	})
}

func looksAlike(signs []sign) string {
	looks := make([]byte, len(signs))
	for i, s := range signs {
		looks[i] = s.looks
	}
	return string(looks)
}
