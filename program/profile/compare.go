package profile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// HoldsOnly reports whether a composer's text is text, or the end of text, and nothing
// else. It compares only ASCII letters and digits one by one: terminals and programs draw
// other characters differently, but add no letters to them.
//
// Where they do not agree how wide a character is, the terminal may still show letters of
// what stood there before, right behind it. As many letters as fit there do not count.
func HoldsOnly(composer, text string) bool {
	shown, behind := shownLetters(composer)
	if shown == "" {
		return false
	}

	letters, strays := withStrays(text)
	if addsOtherLetters(composer, text, strays) {
		return false
	}
	if strings.HasSuffix(letters, shown) {
		return true
	}
	if !slices.ContainsFunc(strays, func(n int) bool { return n > 0 }) {
		return false
	}

	c := comparison{letters: letters, strays: strays, ways: map[way]bool{{left: len(letters)}: true}}
	for i := len(shown) - 1; i >= 0; i-- {
		c.take(shown[i], behind[i])
	}

	for w := range c.ways {
		if !w.loose {
			return true
		}
	}
	return false
}

// cutEvery is how many letters of a row are seen at least before one is missing at its edge.
const cutEvery = 10

// HoldsCut is like HoldsOnly, but letters may be missing, one at the edge of a row: programs cut off what is one cell
// too wide for them.
func HoldsCut(composer, text string) bool {
	shown, left := lettersAndDigits(composer), lettersAndDigits(text)
	if shown == "" || addsOtherLetters(composer, text, nil) {
		return false
	}

	row := cutEvery // letters that were seen since the last one that is missing
	for i := len(shown) - 1; i >= 0; {
		switch {
		case left == "":
			return false
		case left[len(left)-1] == shown[i]:
			i, row = i-1, row+1
		case row < cutEvery:
			return false
		default:
			row = 0
		}
		left = left[:len(left)-1]
	}
	return true
}

// addsOtherLetters reports whether a composer shows letters beyond ASCII that are not the text's: one
// that the text does not have, or more of one than it has and than may be stray.
func addsOtherLetters(composer, text string, strays []int) bool {
	left := map[rune]int{}
	for _, r := range norm.NFKD.String(text) {
		if isOtherLetter(r) {
			left[r]++
		}
	}

	more := 0
	for _, r := range norm.NFKD.String(composer) {
		if !isOtherLetter(r) {
			continue
		}
		n, known := left[r]
		if !known {
			return true
		}
		if n <= 0 {
			more++
		}
		left[r] = n - 1
	}

	for _, n := range strays {
		more -= n
	}
	return more > 0
}

// isOtherLetter reports whether a character is a letter or a digit beyond ASCII.
func isOtherLetter(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// comparison compares a text with what a composer shows of it, from the end.
type comparison struct {
	letters string
	strays  []int // before each letter of the text and at the end: how many stray ones may be shown there
	ways    map[way]bool
}

// way is one way in which the letters that were compared may be those of the text.
type way struct {
	left  int  // letters of the text that are left to compare
	met   int  // stray letters met before them
	loose bool // the last of these has yet to be seen right behind a character that is no letter
}

// take compares the next letter. behind tells whether another character stands right before
// it.
func (c *comparison) take(shown byte, behind bool) {
	next := map[way]bool{}
	for w := range c.ways {
		if !w.loose && w.left > 0 && c.letters[w.left-1] == shown {
			next[way{left: w.left - 1}] = true
		}
		if w.met < c.strays[w.left] {
			next[way{w.left, w.met + 1, !behind}] = true
		}
	}
	c.ways = next
}

// shownLetters returns the letters and digits of a composer, and for each whether a
// character that is not of ASCII stands before it, with nothing but space between them.
func shownLetters(composer string) (letters string, behind []bool) {
	var b strings.Builder
	other := false
	for _, r := range norm.NFC.String(composer) {
		for _, letter := range lettersIn(r) {
			b.WriteByte(letter)
			behind, other = append(behind, other), false
		}
		other = r > unicode.MaxASCII || other && unicode.IsSpace(r)
	}
	return b.String(), behind
}

// withStrays returns the letters and digits of a text, and how many stray ones may stand
// before each of them and at the end.
func withStrays(text string) (letters string, strays []int) {
	var b strings.Builder
	strays = []int{0}
	for _, r := range norm.NFC.String(text) {
		strays[b.Len()] += disputed(r)
		for _, letter := range lettersIn(r) {
			b.WriteByte(letter)
			strays = append(strays, 0)
		}
	}
	return b.String(), strays
}

// disputed returns how many columns a program may give a character that the terminal does
// not. tmux 3.3a gives none to what is joined to an emoji, nor to emoji that it does not
// know; marks and variation selectors count differently too.
func disputed(r rune) int {
	switch {
	case r == '\u200d', r >= '\U0001f3fb' && r <= '\U0001f3ff', // joiner, colours of skin
		r >= '\U0001f6d8' && r <= '\U0001f6df', r >= '\U0001fa70' && r <= '\U0001faff': // some are newer than tmux
		return 2
	case unicode.Is(unicode.M, r), r >= '\U0001f1e6' && r <= '\U0001f1ff': // half of a flag
		return 1
	}
	return 0
}

func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if isPlain(r) {
			return r
		}
		return -1
	}, norm.NFKD.String(s)) // some programs recompose letters and their accents
}

// lettersIn is lettersAndDigits of one character.
func lettersIn(r rune) []byte {
	switch {
	case isPlain(r):
		return []byte{byte(r)}
	case r < utf8.RuneSelf:
		return nil
	}
	return []byte(lettersAndDigits(string(r)))
}

// isPlain reports whether a character is a letter or a digit of ASCII.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
