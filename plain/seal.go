package plain

import (
	"crypto/rand"
	"slices"
	"strings"
	"unicode"
)

// SealWord stands before the seal in a footer.
const SealWord = "seal"

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
	word, looks := lettersOf(seal), lettersOf(text)
	if word == "" || !strings.Contains(looks, word) { // nearly every text
		return text
	}

	signs := slices.DeleteFunc(signsOf(text), func(s sign) bool { return !isLetterOrDigit(s.looks) })
	hidden := map[int]bool{}
	for i := 0; ; i++ {
		next := strings.Index(looks[i:], word)
		if next < 0 {
			break
		}

		i += next
		for _, s := range signs[i : i+len(word)] {
			hidden[s.at] = true
		}
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
func lettersOf(text string) string {
	letters := make([]byte, 0, len(text))
	for _, r := range text {
		if r < unicode.MaxASCII { // Looks takes memory for each
			if looks := plainByte(byte(r)); isLetterOrDigit(looks) {
				letters = append(letters, looks)
			}
			continue
		}
		if isBlank(r) {
			continue
		}
		for _, looks := range Looks(r) {
			if isLetterOrDigit(looks) {
				letters = append(letters, looks)
			}
		}
	}
	return string(letters)
}

func isLetterOrDigit(looks byte) bool { return isLetter(looks) || looks >= '0' && looks <= '9' }
