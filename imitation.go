package parley

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

// imitations returns where in the text headers and footers seem to begin, in order.
func imitations(signs []sign) []int {
	var found, open []int // open: the brackets that are not closed
	for i, s := range signs {
		switch s.looks {
		case '[', '(':
			open = append(open, i)
			if s.looks == '[' && seemsHeader(signs[i+1:]) {
				found = append(found, s.at)
			}
		case ')', ']':
			open = open[:max(0, len(open)-1)]
		case 'm', 'r':
			if len(open) > 0 && seemsFooter(signs[open[len(open)-1]+1:i], signs[i:]) {
				found = append(found, signs[open[len(open)-1]].at)
			}
		}
	}

	slices.Sort(found)
	return slices.Compact(found)
}

// footerWords is how many words can stand in a bracket before the mark of a footer, which has a
// name and a dot there.
const footerWords = 6

// seemsFooter reports whether signs in a bracket can be the beginning of a footer, whose mark
// begins with the signs behind them.
func seemsFooter(start, behind []sign) bool {
	words := 0
	for _, s := range start {
		if s.spaced {
			words++
		}
	}
	return words <= footerWords && seemsMark(behind)
}

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
