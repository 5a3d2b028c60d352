package store

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is said in this file is of SQLite's FTS5 alone. The index has two columns:
// the words of a text, and marks of who sent and got the message and of the stretch
// of messages that it belongs to, and of the thread it stands in. With the marks in the index a search steps from one
// message that the caller may see to the next, however many others hold the word.
//
// FTS5's unicode61 cuts at what is neither letter nor digit, and folds case and
// accents. Scripts that write no spaces would be one long word to it, so there every
// letter is made a word, and a word of the query becomes a phrase of letters: what
// stands in the text is found, wherever it stands.

const wordsTable = `CREATE VIRTUAL TABLE message_words USING fts5 (words, marks,
	content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2')`

var wordsColumns = columns[wordsRow]{
	{"rowid", func(r *wordsRow) any { return r.seq }},
	{"words", func(r *wordsRow) any { return spaced(r.text) }},
	{"marks", func(r *wordsRow) any { return r.marks() }},
}

// Stretches of 65,536 and of 262,144 messages. The worst query, of words that many
// messages hold and none holds together, takes 5 to 10 ms for one of the short ones
// (in a million messages of 160 characters); most are through the long ones in two.
const (
	shortStretch = 16 // bits
	longStretch  = 18
)

// wordsRow is a row of message_words.
type wordsRow struct {
	seq        int64
	text       string
	senderID   string
	threadID   string // "" for none
	recipients []string
}

// marks returns the marks of a message, with spaces between them.
func (r *wordsRow) marks() string {
	marks := make([]string, 0, len(r.recipients)+4)
	marks = append(marks, stretchMark(r.seq, shortStretch), stretchMark(r.seq, longStretch), senderMark(r.senderID))
	if r.threadID != "" {
		marks = append(marks, threadMark(r.threadID))
	}
	for _, id := range r.recipients {
		marks = append(marks, recipientMark(id))
	}
	return strings.Join(marks, " ")
}

// stretchMark is n16x0, n16x1, … or n18x0, …
func stretchMark(seq int64, bits int) string {
	return "n" + strconv.Itoa(bits) + "x" + strconv.FormatInt(seq>>bits, 10)
}

func senderMark(id string) string { return "s" + plain(id) }

func recipientMark(id string) string { return "r" + plain(id) }

func threadMark(id string) string { return "t" + plain(id) }

// plain makes one word of an id.
func plain(id string) string { return strings.ReplaceAll(id, "-", "") }

// unspaced are the scripts whose words are not set apart, or (Hangul) have endings
// attached to them.
var unspaced = []*unicode.RangeTable{
	unicode.Han,
	unicode.Hiragana,
	unicode.Katakana,
	unicode.Bopomofo,
	unicode.Hangul,
	unicode.Yi,
	unicode.Thai,
	unicode.Lao,
	unicode.Khmer,
	unicode.Myanmar,
	unicode.Tibetan,
}

const firstUnspaced = 'ก' // of their letters, the one with the lowest number

// spaced sets the letters of unspaced scripts apart.
func spaced(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= firstUnspaced }) {
		return text
	}

	var b strings.Builder
	for _, r := range text {
		if r >= firstUnspaced && unicode.In(r, unspaced...) {
			b.WriteRune(' ')
			b.WriteRune(r)
			b.WriteRune(' ')
			continue
		}

		b.WriteRune(r)
	}

	return b.String()
}

// matchWords writes what a person typed as an expression of FTS5: each word, and each
// phrase in double quotes, is a string of it that must occur. Nothing else of FTS5's
// language gets through. It is "" when there is no word in it.
func matchWords(query string) string {
	var terms []string
	add := func(term string) {
		if strings.ContainsFunc(term, wordRune) {
			terms = append(terms, `"`+spaced(term)+`"`)
		}
	}

	parts := strings.Split(strings.Map(harmless, query), `"`)
	for i, part := range parts {
		if phrase := i%2 == 1 && i < len(parts)-1; phrase {
			add(part)
			continue
		}

		for word := range strings.FieldsSeq(part) {
			add(word)
		}
	}

	return strings.Join(terms, " ")
}

// wordRune reports what unicode61 takes for a part of a word.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// harmless replaces what would end a text in the middle.
func harmless(r rune) rune {
	if r == utf8.RuneError || unicode.IsControl(r) {
		return ' '
	}
	return r
}
