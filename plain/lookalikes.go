package plain

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
	'(': "❨❪﴾⟮⦅⸨",
	')': "❩❫﴿⟯⦆⸩",
	'<': "‹〈《⟨⟪❬❮❰⦑⧼",
	'>': "›〉》⟩⟫❭❯❱⦒⧽",
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
// without regard to case, l and 1 as i, and references such as &#91; as what they stand for.
func signsOf(text string) []sign {
	signs := make([]sign, 0, len(text))
	spaced := false
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		if r, size = referred(text[at:]); isBlank(r) {
			spaced = true
			continue
		}
		for _, looks := range Looks(r) {
			signs = append(signs, sign{looks, at, spaced})
			spaced = false
		}
	}
	return signs
}

// reference matches a character as HTML writes it, escaped once or more often.
var reference = regexp.MustCompile(`^&(?:amp;)*(#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[a-zA-Z]{2,24};)`)

// referred returns the first character of a text, or the one that a reference there stands for, and its length.
func referred(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if r != '&' {
		return r, size
	}
	match := reference.FindStringSubmatch(text)
	if match == nil {
		return r, size
	}
	to, n := utf8.DecodeRuneInString(html.UnescapeString("&" + strings.TrimSuffix(match[1], ";") + ";"))
	if n == 0 || to == '&' {
		return r, size
	}
	return to, len(match[0])
}

// isBlank reports whether a character takes room and shows nothing.
func isBlank(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsSpace(r)
}

// Looks returns what a character looks like; nothing if it does not show.
func Looks(r rune) []byte {
	if r < unicode.MaxASCII {
		return []byte{plainByte(byte(r))}
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
			looks = append(looks, plainByte(byte(part)))
		case known:
			looks = append(looks, letter)
		case unicode.In(part, unicode.Ps, unicode.Pi): // whatever it looks like, it opens something
			looks = append(looks, '{')
		case unicode.In(part, unicode.Pe, unicode.Pf):
			looks = append(looks, '}')
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
			return plainByte(byte('a' + r - first)), true
		}
	}

	return 0, false
}

// plain returns a character of ASCII in lower case, and one look for those that are told apart
// least.
func plainByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	if strings.IndexByte("l1|!", c) >= 0 {
		return 'i'
	}
	return c
}
