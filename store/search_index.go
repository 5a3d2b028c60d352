package store

import (
	"strings"

	"parley/store/engine"
)

// wordsDialect is how the index of words is written and searched.
type wordsDialect struct {
	seq     string // the number of the message, in the index w
	columns engine.Columns[wordsRow]
	remove  func(*tx, *wordsRow) error
	clear   string // removes everything
	// match returns the condition on the index w: one mark of each group, and all terms.
	match func(marks [][]string, terms []wordsTerm) (where string, args []any)
}

// wordsOf returns how it is with one kind of database.
func wordsOf(d *engine.Dialect) *wordsDialect {
	if d.Embedded {
		return &fts5
	}
	return &tsvector
}

// wordsTerm is a word or a phrase, as spaced makes it. A message that has one of the marks need not
// have the text.
type wordsTerm struct {
	text  string
	marks []string
}

var fts5 = wordsDialect{
	seq:     `w.rowid`,
	columns: wordsColumns,
	remove: func(t *tx, r *wordsRow) error {
		_, err := t.Exec(`INSERT INTO message_words (message_words, rowid, words, marks) VALUES ('delete', ?, ?, ?)`,
			r.seq, spaced(r.text), strings.Join(r.marks(), " "))
		return err
	},
	clear: `INSERT INTO message_words (message_words) VALUES ('delete-all')`,
	match: func(marks [][]string, terms []wordsTerm) (string, []any) {
		return `w.message_words MATCH ?`, []any{fts5Query(marks, terms)}
	},
}

// fts5Query returns an expression of FTS5. The marks come first, and the stretch is the last of
// them: FTS5 goes through the terms in this order, so it does not look for words in messages
// without the marks. A term is a string; no other syntax of FTS5 gets through.
func fts5Query(marks [][]string, terms []wordsTerm) string {
	groups := make([]string, len(marks))
	for i, group := range marks {
		groups[i] = fts5Any(group)
	}

	query := `marks : (` + strings.Join(groups, ` AND `) + `)`
	for _, term := range terms {
		query += ` AND ` + fts5Term(term)
	}

	return query
}

// fts5Term returns an expression for a term.
func fts5Term(term wordsTerm) string {
	text := `words : "` + term.text + `"`
	if len(term.marks) == 0 {
		return text
	}
	return `(` + text + ` OR marks : ` + fts5Any(term.marks) + `)`
}

// fts5Any returns an expression for one of some marks.
func fts5Any(marks []string) string { return `("` + strings.Join(marks, `" OR "`) + `")` }

// tsvector keeps what FTS5 keeps, the words and the marks, as the lexemes of one vector. A vector
// holds the places of its first 16,383 words only, so phrases are looked for in a second column,
// among the messages that have all of their words.
var tsvector = wordsDialect{
	seq: `w.seq`,
	columns: engine.Columns[wordsRow]{
		{"seq", func(r *wordsRow) any { return r.seq }},
		{"words", func(r *wordsRow) any { return vectorOf(r) }},
		{"phrase", func(r *wordsRow) any { return phraseOf(splitWords(spaced(r.text))) }},
	},
	remove: func(t *tx, r *wordsRow) error {
		_, err := t.Exec(`DELETE FROM message_words WHERE seq = ?`, r.seq)
		return err
	},
	clear: `DELETE FROM message_words`,
	match: tsvectorMatch,
}

// maxVector is how many bytes of words a vector takes. PostgreSQL takes a megabyte with what belongs
// to them; a text with more than this in different words is found by the first of them.
const maxVector = 512 << 10

// vectorOf returns the lexemes of a message as PostgreSQL reads them.
func vectorOf(r *wordsRow) string {
	var b strings.Builder
	for _, mark := range r.marks() {
		b.WriteString(lexeme(markLexeme(mark)))
		b.WriteByte(' ')
	}

	seen := map[string]bool{}
	for _, word := range splitWords(spaced(r.text)) {
		if !seen[word] && b.Len() < maxVector {
			seen[word] = true
			b.WriteString(lexeme(word))
			b.WriteByte(' ')
		}
	}

	return b.String()
}

// markLexeme keeps marks apart from words, which never hold a colon.
func markLexeme(mark string) string { return ":" + mark }

// maxLexeme is less than the 2,046 bytes that a lexeme may have, by the bytes of a character.
const maxLexeme = 2040

// lexeme quotes a lexeme. One that is too long is found by its beginning.
func lexeme(word string) string {
	if len(word) > maxLexeme {
		word = strings.ToValidUTF8(word[:maxLexeme], "")
	}
	return `'` + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word) + `'`
}

// phraseOf returns words with a space before and after each.
func phraseOf(words []string) string { return " " + strings.Join(words, " ") + " " }

func tsvectorMatch(marks [][]string, terms []wordsTerm) (where string, args []any) {
	var query []string
	for _, group := range marks {
		query = append(query, `(`+anyMark(group)+`)`)
	}

	where, args = `w.words @@ CAST(? AS tsquery)`, []any{nil}
	for _, term := range terms {
		words := splitWords(term.text)
		query = append(query, `(`+vectorQuery(words, term.marks)+`)`)

		phrase := `position(? IN w.phrase) > 0`
		switch {
		case len(words) < 2:
		case len(term.marks) > 0:
			where += ` AND (` + phrase + ` OR w.words @@ CAST(? AS tsquery))`
			args = append(args, phraseOf(words), anyMark(term.marks))
		default:
			where, args = where+` AND `+phrase, append(args, phraseOf(words))
		}
	}
	args[0] = strings.Join(query, ` & `)

	return where, args
}

// vectorQuery returns a query for all of some words, or one of some marks.
func vectorQuery(words, marks []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = lexeme(word)
	}

	query := strings.Join(all, ` & `)
	if len(marks) > 0 {
		query += ` | ` + anyMark(marks)
	}

	return query
}

func anyMark(marks []string) string {
	lexemes := make([]string, len(marks))
	for i, mark := range marks {
		lexemes[i] = lexeme(markLexeme(mark))
	}
	return strings.Join(lexemes, ` | `)
}
