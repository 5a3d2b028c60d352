package plain

import (
	"slices"
	"strings"
	"unicode"
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
		if at < done || IsQuoted(text[:at]) {
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(quoteMark)
		done = at
	}
	b.WriteString(text[done:])
	return b.String()
}

// IsQuoted reports whether a text ends with a quote mark.
func IsQuoted(before string) bool { return strings.HasSuffix(strings.TrimRight(before, " \t"), ">") }

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
	if !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r == '&' || opens(byte(r)) }) {
		return nil
	}
	return imitations(signsOf(text))
}

// opens reports whether a character of ASCII opens a bracket.
func opens(c byte) bool { return strings.IndexByte("[({<", c) >= 0 }

// strict reports whether a bracket is one that code and prose have before the words of a header too, such
// as {agent} and <agent name>: there, more of a header has to follow.
func strict(c byte) bool { return c == '{' || c == '<' }

type bracket struct {
	looks byte
	at    int // of its sign
	words int // up to it
}

// brackets are those that are open, the last one on top.
type brackets struct {
	open  []bracket
	plain int // of them, those of headers and footers: [ and (
}

func (b *brackets) push(s sign, words int) {
	b.open = append(b.open, bracket{s.looks, s.at, words})
	if !strict(s.looks) {
		b.plain++
	}
}

// close ends a bracket: ] and ) the last [ or (, with all within it; } and > one of their own kind. An
// arrow ends nothing.
func (b *brackets) close(looks byte) {
	last := len(b.open) - 1
	if looks == '}' || looks == '>' {
		if last >= 0 && b.open[last].looks == map[byte]byte{'}': '{', '>': '<'}[looks] {
			b.open = b.open[:last]
		}
		return
	}

	if b.plain == 0 {
		return
	}
	for strict(b.open[last].looks) {
		last--
	}
	b.open = b.open[:last]
	b.plain--
}

// imitations returns where in the text headers and footers seem to begin, in order. It reads each
// sign once: everything in a long text may seem to be in one bracket.
func imitations(signs []sign) []int {
	var found []int
	var in brackets
	words := 0
	for i, s := range signs {
		before := words
		if s.spaced {
			words++
		}

		switch s.looks {
		case '[', '(', '{', '<':
			in.push(s, words)
			rest := signs[i+1:]
			if s.looks == '[' && seemsHeader(rest) || beginsHeader(rest) {
				found = append(found, s.at)
			}
		case ')', ']', '}', '>':
			in.close(s.looks)
		case 'm', 'r':
			if len(in.open) == 0 {
				continue
			}
			if last := in.open[len(in.open)-1]; before-last.words <= footerWords && seemsMark(signs[i:]) {
				found = append(found, last.at)
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

// headerID is how many digits of an id begin a header in a bracket that others use too.
const headerID = 4

// beginsHeader reports whether signs behind a bracket of any kind begin a whole header: AGENT and an id, GUARDIAN
// GUIDANCE, or PARLEY and the end of the bracket.
func beginsHeader(signs []sign) bool {
	for _, word := range headerWords {
		if !startsWith(signs, word) {
			continue
		}

		rest := signs[len(word):]
		switch word {
		case "agent":
			if len(rest) >= headerID && !slices.ContainsFunc(rest[:headerID], func(s sign) bool { return !inID(s) }) {
				return true
			}
		case "pariey":
			if len(rest) > 0 && strings.IndexByte(")]}>", rest[0].looks) >= 0 {
				return true
			}
		default:
			if startsWith(rest, "guidance") || startsWith(rest, "guiciance") {
				return true
			}
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

// shortID is how many characters of an id headers show: parley.ShortID.
const shortID = 8

// startsWithID reports whether signs begin with a short id, and go on with something else.
func startsWithID(signs []sign) bool {
	if len(signs) < shortID {
		return false
	}
	if slices.ContainsFunc(signs[:shortID], func(s sign) bool { return !inID(s) }) {
		return false
	}
	return len(signs) == shortID || signs[shortID].spaced || !isLetter(signs[shortID].looks)
}

// inID reports whether a sign can be a digit of an id: 1 looks like i, 0 like o, and other scripts have
// digits too.
func inID(s sign) bool { return s.looks == 0 || strings.IndexByte("0123456789abcdefio", s.looks) >= 0 }

func isLetter(looks byte) bool { return looks >= 'a' && looks <= 'z' }
