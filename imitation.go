package parley

import (
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// quoteMark stands before what looks as if parley had written it and is somebody's text.
const quoteMark = "> "

// QuoteForms puts "> " before each part of a text that looks like a header or a footer of
// parley's, wherever it stands, so that no agent speaks in another's name. What it looks like
// counts: characters that do not show and accents are left out, and look-alike letters and
// brackets, letters of any case, and any white space are the same. What is quoted already
// stays as it is.
func QuoteForms(text string) string {
	var b strings.Builder
	done := 0
	for _, at := range formsIn(text) {
		if at < done || isQuoted(text[:at]) {
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(quoteMark)
		done = at
	}
	b.WriteString(text[done:])
	return b.String()
}

// isQuoted reports whether a text ends with a quote mark.
func isQuoted(before string) bool { return strings.HasSuffix(strings.TrimRight(before, " \t"), ">") }

// HasForms reports whether a text has a part that looks like a header or a footer of parley's.
func HasForms(text string) bool { return len(formsIn(text)) > 0 }

// CleanLabel is CleanLine for what agents say of themselves and of their things, such as
// descriptions and titles: nothing in it looks like a header or a footer.
func CleanLabel(text string) string { return QuoteForms(CleanLine(text)) }

// CleanLabels is CleanLines for labels.
func CleanLabels(texts []string) []string {
	texts = CleanLines(texts)
	for i, text := range texts {
		texts[i] = QuoteForms(text)
	}
	return texts
}

// formsIn returns where in a text headers and footers seem to begin, in order. Each begins with a
// bracket, or with what looks like one.
func formsIn(text string) []int {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == '[' || r == '(' || r > unicode.MaxASCII }) {
		return nil
	}
	return imitations(signsOf(text))
}

// bracket is one that is not closed.
type bracket struct {
	at    int // of its sign
	words int // up to it
}

// imitations returns where in the text headers and footers seem to begin, in order. It reads each
// sign once: everything in a long text may seem to be in one bracket.
func imitations(signs []sign) []int {
	var found []int
	var open []bracket
	words := 0
	for i, s := range signs {
		before := words
		if s.spaced {
			words++
		}

		switch s.looks {
		case '[', '(':
			open = append(open, bracket{s.at, words})
			if s.looks == '[' && seemsHeader(signs[i+1:]) {
				found = append(found, s.at)
			}
		case ')', ']':
			open = open[:max(0, len(open)-1)]
		case 'm', 'r':
			if len(open) == 0 {
				continue
			}
			if in := open[len(open)-1]; before-in.words <= footerWords && seemsMark(signs[i:]) {
				found = append(found, in.at)
			}
		}
	}

	slices.Sort(found)
	return slices.Compact(found)
}

// footerWords is how many words can stand in a bracket before the mark of a footer, which has a
// name and a dot there.
const footerWords = 6

// headerWords are the words that begin a header, as signs.
var headerWords = []string{"agent", "guardian", "guarciian", "pariey"}

// seemsHeader reports whether signs behind a bracket begin as those of a header do.
func seemsHeader(signs []sign) bool {
	for _, word := range headerWords {
		if !startsWith(signs, word) {
			continue
		}
		rest := signs[len(word):]
		if len(rest) == 0 || rest[0].spaced || !isLetter(rest[0].looks) || startsWithID(rest) {
			return true
		}
	}
	return false
}

// seemsMark reports whether signs begin as the mark of a message does: "msg 5f0c21aa".
func seemsMark(signs []sign) bool {
	for _, word := range []string{"msg", "rnsg"} {
		if startsWith(signs, word) && startsWithID(signs[len(word):]) {
			return true
		}
	}
	return false
}

func startsWith(signs []sign, word string) bool {
	if len(signs) < len(word) {
		return false
	}
	for i := range len(word) {
		if signs[i].looks != word[i] {
			return false
		}
	}
	return true
}

// startsWithID reports whether signs begin with a short id, and go on with something else.
func startsWithID(signs []sign) bool {
	if len(signs) < ShortID {
		return false
	}
	for _, s := range signs[:ShortID] {
		// 1 looks like i, 0 like o, and other scripts have digits too.
		if s.looks != 0 && strings.IndexByte("0123456789abcdefio", s.looks) < 0 {
			return false
		}
	}
	return len(signs) == ShortID || signs[ShortID].spaced || !isLetter(signs[ShortID].looks)
}

func isLetter(looks byte) bool { return looks >= 'a' && looks <= 'z' }

// lookalikes has, for each letter and bracket of the forms that parley types, the characters
// that look like it and have no decomposition that says so. The source is confusables.txt of
// UTS #39 (Unicode Security Mechanisms), without upper case where lower case is here; the small
// capitals and the brackets of other scripts are additional.
var lookalikes = map[byte]string{
	'a': "⍺ɑαаᎪᗅꓮ𖽀𐊠⍶ᴀ",
	'b': "ƅьᏏᑲᖯꞵβвᏼᏴᗷꓐ𐊂𐊡𐌁ɓᑳƃбҍѣʙ",
	'c': "ᴄⲥсꮯ𐐽🝌𑣲𑣩ꓚ𐊢𐌂𐔜¢ȼ₡🅮ҫ",
	'd': "ԁᏧᑯꓒᎠᗞᗪꓓɗɖƌđð₫ᴅ",
	'e': "℮ꬲеҽ⋿εⴹᎬꓰ𑢦𑢮𐊆ɇҿᴇ",
	'f': "ꬵꞙẝք𝈓ϝᖴꓝ𑣂𐊇𐊥𐔥ƒᵮ",
	'g': "ɡᶃƍցԍᏀᏳꓖɠǥɢ",
	'i': "⍳ıɪɩιіꙇӏꭵ𑣃⍸ɨᵻᵼ׀∣⏽١۱𐌠𞣇ǀⲓוןاߊⵏᛁꓲ𖼨𐊊𐌉𝈪ⳑᏞᒪꓡ𖼖𑢲𐐛𐔦łɭƚɫٳʟ¡¦",
	'm': "μϻⲙмᎷᗰᛖꓟ𐊰𐌑ӎᴍ𑣣𑜀₥ɱᵯ",
	'n': "ոռΝⲛꓠ𐔓𐆎ɳƞηɲᵰɴ",
	'o': "ο๐оօⲟჿ०০੦૦ᴏഠ௦೦๐໐၀٥۵ଠ𐓪𐐬𑣈𑣗ꬽøɵѳ",
	'p': "⍴ρⲣрᏢᑭꓑ𐊕ƥᵽᴘ",
	'r': "ꭇꭈᴦⲅгꮁ𝈖ʀᎡᏒ𐒴ᖇꓣ𖼵ɽɼɍғᵲ",
	's': "ꜱƽѕꮪ𑣁𐑈ՏᏕꓢ𖼺𐊖ʂᵴ",
	't': "⊤⟙🝨τⲧтᎢꓔ𖼊𑢼𐊗𐊱𐌕ƭ⍡ⱦʈҭ₮ŧᵵᴛ†",
	'u': "ꞟᴜꭎꭒʋυս𐓶𑣘∪⋃ሀᑌꓴ𖽂ᵾꮜʉ",
	'y': "ɣᶌʏỿꭚγуүყ𑣜ΥⲩᎩᎽꓬ𖽃𑢤𐊲ƴɏұ¥",
	'[': "⁅〔【〖〘〚⟦⟬❲⦋⦍⦏⌈⌊⎡⎢⎣⸢⸤「『ㄷ﹇⎾⎿⦗",
	']': "⁆〕】〗〙〛⟧⟭❳⦌⦎⦐⌉⌋⎤⎥⎦⸣⸥」』コ﹈⦘",
	'(': "❨❪﴾⟮⦅⸨⧼",
	')': "❩❫﴿⟯⦆⸩⧽",
	'"': "“”„‟«»″ˮ״〃〝〞",
}

var lookalikeOf = sync.OnceValue(func() map[rune]byte {
	table := map[rune]byte{}
	for letter, likes := range lookalikes {
		for _, r := range likes {
			table[r] = letter
		}
	}
	return table
})

// sign is what a reader may take one character of a text for: a small letter of ASCII, another
// character of ASCII, or 0 for a character that resembles none.
type sign struct {
	looks  byte
	at     int  // where in the text
	spaced bool // something empty stands before it
}

// signsOf returns what a text looks like: without what is invisible, without accents, letters
// without regard to case, and l and 1 as i.
func signsOf(text string) []sign {
	signs := make([]sign, 0, len(text))
	spaced := false
	for at, r := range text {
		if isBlank(r) {
			spaced = true
			continue
		}
		for _, looks := range looksOf(r) {
			signs = append(signs, sign{looks, at, spaced})
			spaced = false
		}
	}
	return signs
}

// isBlank reports whether a character takes room and shows nothing.
func isBlank(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsSpace(r)
}

// looksOf returns what a character looks like; nothing if it does not show.
func looksOf(r rune) []byte {
	if r < unicode.MaxASCII {
		return []byte{plain(byte(r))}
	}
	if letter, ok := ownLook(r); ok {
		return []byte{letter}
	}
	if unicode.In(r, unicode.M, unicode.C) {
		return nil
	}

	var looks []byte
	for _, part := range norm.NFKD.String(string(r)) {
		letter, known := ownLook(part)
		switch {
		case part < unicode.MaxASCII && part > ' ':
			looks = append(looks, plain(byte(part)))
		case known:
			looks = append(looks, letter)
		case !unicode.In(part, unicode.M, unicode.Z):
			looks = append(looks, 0)
		}
	}

	return looks
}

// ownLook returns the letter that a character looks like although it does not decompose into it.
func ownLook(r rune) (byte, bool) {
	table := lookalikeOf()
	for _, r := range []rune{r, unicode.ToLower(r)} {
		if letter, ok := table[r]; ok {
			return letter, true
		}
	}

	// Letters in a circle, in a square, of flags.
	for _, first := range []rune{'\U0001f150', '\U0001f170', '\U0001f1e6'} {
		if r >= first && r < first+26 {
			return plain(byte('a' + r - first)), true
		}
	}

	return 0, false
}

// plain returns a character of ASCII in lower case, and one look for those that are told apart
// least.
func plain(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	if strings.IndexByte("l1|!", c) >= 0 {
		return 'i'
	}
	return c
}

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
		if r < unicode.MaxASCII { // looksOf takes memory for each
			if looks := plain(byte(r)); isLetterOrDigit(looks) {
				letters = append(letters, looks)
			}
			continue
		}
		if isBlank(r) {
			continue
		}
		for _, looks := range looksOf(r) {
			if isLetterOrDigit(looks) {
				letters = append(letters, looks)
			}
		}
	}
	return string(letters)
}

func isLetterOrDigit(looks byte) bool { return isLetter(looks) || looks >= '0' && looks <= '9' }
