package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/store/engine"
)

// The index of words is an FTS5 table with two columns: the words of a text, and marks.
// There is a mark for the sender, each recipient, the thread, and the stretch of messages.
// With the marks in the index, a search steps from one message that the caller may read
// to the next, however many others contain the word.
//
// FTS5's tokenizer unicode61 splits at everything that is neither letter nor digit, and
// folds case and accents. A text in a script without spaces would be one long word. So
// every letter of such a script becomes a word, and a word of the query a phrase of
// letters, which is found anywhere in the text.

var wordsColumns = engine.Columns[wordsRow]{
	{"rowid", func(r *wordsRow) any { return r.seq }},
	{"words", func(r *wordsRow) any { return spaced(r.text) }},
	{"marks", func(r *wordsRow) any { return strings.Join(r.marks(), " ") }},
}

// wordsTable is written as the index of the database wants it.
var wordsTable = engine.Table[wordsRow]{Write: func(t *tx, rows []wordsRow) error {
	return engine.Insert(t, "message_words", wordsOf(t.SQL).columns, rows...)
}}

// Stretches have 65,536 or 262,144 messages. The worst query, of words that many messages
// contain but none contains together, takes 5 to 10 ms for a short stretch (in a million
// messages of 160 characters). Most queries take 2 ms for a long one.
const (
	shortStretch = 16 // bits
	longStretch  = 18
)

type wordsRow struct {
	seq        int64
	text       string
	senderID   string
	threadID   string // "" for none
	recipients []string
}

func (r *wordsRow) marks() []string {
	marks := make([]string, 0, len(r.recipients)+4)
	marks = append(marks, stretchMark(r.seq, shortStretch), stretchMark(r.seq, longStretch), senderMark(r.senderID))
	if r.threadID != "" {
		marks = append(marks, threadMark(r.threadID))
	}
	for _, id := range r.recipients {
		marks = append(marks, recipientMark(id))
	}
	return marks
}

// stretchMark returns n16x0, n16x1, … or n18x0, …
func stretchMark(seq int64, bits int) string {
	return "n" + strconv.Itoa(bits) + "x" + strconv.FormatInt(seq>>bits, 10)
}

func senderMark(id string) string { return "s" + bare(id) }

func recipientMark(id string) string { return "r" + bare(id) }

func threadMark(id string) string { return "t" + bare(id) }

// bare makes an ID one word.
func bare(id string) string { return strings.ReplaceAll(id, "-", "") }

// unspaced lists the scripts that write no spaces between words, or (Hangul) attach endings
// to them.
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

const firstUnspaced = 'ก' // the lowest code point of their letters

// spaced puts spaces around the letters of unspaced scripts.
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

// searchTerms splits what a person typed into terms, each of which must occur: words, and phrases
// in double quotes. It returns none when the query contains no word.
func searchTerms(query string) []string {
	var terms []string
	add := func(term string) {
		if strings.ContainsFunc(term, wordRune) {
			terms = append(terms, term)
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

	return terms
}

// wordRune reports whether unicode61 takes a rune for a part of a word.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// harmless replaces runes at which FTS5 would end the text, such as NUL.
func harmless(r rune) rune {
	if r == utf8.RuneError || unicode.IsControl(r) {
		return ' '
	}
	return r
}

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

// fillChunk is how many messages are read before their words are written: their
// texts are in memory together.
const fillChunk = 1000

// fillWords puts all messages into the index of words, which must be empty.
func fillWords(ctx context.Context, tx *sql.Tx, d *engine.Dialect) error {
	into, err := tx.PrepareContext(ctx, d.Bound(wordsOf(d).columns.InsertInto("message_words", 1)))
	if err != nil {
		return fmt.Errorf("index the words of messages: %w", err)
	}
	defer into.Close()

	for last := int64(0); ; {
		rows, err := unindexed(ctx, tx, d, last)
		if err != nil || len(rows) == 0 {
			return err
		}

		last = rows[len(rows)-1].seq
		for i := range rows {
			if _, err := into.ExecContext(ctx, wordsOf(d).columns.Values(&rows[i])...); err != nil {
				return fmt.Errorf("index the words of messages: %w", err)
			}
		}
	}
}

// unindexed reads the next messages after a number.
func unindexed(ctx context.Context, tx *sql.Tx, d *engine.Dialect, after int64) ([]wordsRow, error) {
	rows, err := tx.QueryContext(ctx, d.Bound(`SELECT m.seq, m.text, m.sender_id, m.thread_id,
		coalesce((SELECT `+d.Joined+`(d.recipient_id, ' ') FROM deliveries d WHERE d.message_seq = m.seq), '')
		FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`), after, fillChunk)
	if err != nil {
		return nil, fmt.Errorf("read the messages to be indexed: %w", err)
	}
	defer rows.Close()

	var list []wordsRow
	for rows.Next() {
		var r wordsRow
		var recipients string
		if err := rows.Scan(&r.seq, &r.text, &r.senderID, &r.threadID, &recipients); err != nil {
			return nil, err
		}

		r.recipients = strings.Fields(recipients)
		list = append(list, r)
	}

	return list, rows.Err()
}
