package store

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/store/engine"
)

// SearchMatch holds the conditions of a search on messages as such. Lists name
// alternatives; an empty one is no condition.
type SearchMatch struct {
	States     []parley.DeliveryState // that at least one delivery is in
	Types      []parley.MessageType
	Priorities []parley.Priority
	Kinds      []parley.MessageKind
	Files      bool // it carries files
	Asks       bool // it requires a response
	Answers    bool // it answers a message
}

// scanStretch is how many bits the numbers of messages differ in that are looked at in one go
// where no index helps: 4,096 messages took 8 to 50 ms.
const scanStretch = 12

// wholeRecord are more bits than any number of a message has: all messages are one stretch.
const wholeRecord = 62

// A state that few deliveries stay in has an index, and so does a type or a priority that
// few messages have. SQLite uses the index where the query repeats its condition.
const (
	rareType  = ` AND m.type <> 'information'`
	rareFirst = ` AND m.priority <> 'normal'`
)

// rareStates reports whether the conditions on states have an index.
func (x *SearchMatch) rareStates() bool {
	return len(x.States) > 0 && !slices.ContainsFunc(x.States, parley.DeliveryState.Delivered)
}

func (x *SearchMatch) rareTypes() bool {
	return len(x.Types) > 0 && len(x.Kinds) == 0 && !slices.Contains(x.Types, parley.TypeInformation)
}

func (x *SearchMatch) rarePriorities() bool {
	return len(x.Priorities) > 0 && !slices.Contains(x.Priorities, parley.PriorityNormal)
}

// narrow reports whether an index other than that of the words leads to few messages.
func (q *SearchQuery) narrow() bool {
	x := &q.Match
	return !q.worded() && q.All && (x.rareStates() || x.rareTypes() || x.rarePriorities() || len(q.Thread) > 0)
}

// indexed reports whether the index of words finds the messages.
func (q *SearchQuery) indexed() bool {
	marked := !q.All || len(q.From)+len(q.To)+len(q.Agents)+len(q.Thread) > 0
	return q.worded() || marked && !q.narrow()
}

// worded reports whether the index of words is asked for words.
func (q *SearchQuery) worded() bool { return len(q.terms()) > 0 }

// order returns the column to sort by. Both have the same numbers.
func (q *SearchQuery) order(index *wordsDialect) string {
	if q.indexed() {
		return index.seq
	}
	return `m.seq`
}

// source returns where the messages of a stretch come from.
func (q *SearchQuery) source(index *wordsDialect, part stretch) (from, where string, args []any) {
	if q.indexed() {
		where, args = index.match(q.marks(part), q.terms())
		where += ` AND m.seq = ` + index.seq + ` AND ` + index.seq + ` BETWEEN ? AND ?`
		return `message_words w CROSS JOIN messages m`, where, append(args, part.from, part.to)
	}

	from, where, args = `messages m`, `m.seq BETWEEN ? AND ?`, []any{part.from, part.to}
	one := func(condition string, ids []string, times int) {
		if len(ids) == 0 {
			return
		}
		where += condition
		for range times {
			args = append(args, ids)
		}
	}

	const got = `EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.recipient_id IN ?)`
	one(` AND m.sender_id IN ?`, q.From, 1)
	one(` AND `+got, q.To, 1)
	one(` AND (m.sender_id IN ? OR `+got+`)`, q.Agents, 2)
	one(` AND m.thread_id <> '' AND m.thread_id IN ?`, q.Thread, 1)

	return from, where, args
}

// marks returns groups of marks, of each of which a message must have one. The stretch is the last.
func (q *SearchQuery) marks(part stretch) (groups [][]string) {
	if !q.All {
		readable := []string{senderMark(q.For), recipientMark(q.For)}
		groups = append(groups, append(readable, marksOf(q.late, threadMark)...))
	}

	for _, group := range [][]string{
		marksOf(q.From, senderMark),
		marksOf(q.To, recipientMark),
		marksOf(q.Agents, senderMark, recipientMark),
		marksOf(q.Thread, threadMark),
	} {
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}

	return append(groups, []string{stretchMark(part.from, part.bits)})
}

// marksOf returns all marks of some agents or threads.
func marksOf(ids []string, of ...func(string) string) (marks []string) {
	for _, id := range ids {
		for _, mark := range of {
			marks = append(marks, mark(id))
		}
	}
	return marks
}

// terms returns what the index of words must have of a message, none for no words and for parts of
// words. Those would make the index merge the lists of all words that begin so: for two letters,
// that took SQLite a second in a million messages.
func (q *SearchQuery) terms() (terms []wordsTerm) {
	if q.parts {
		return nil
	}
	for _, term := range searchTerms(q.Words) {
		marks := marksOf(q.Named[term], senderMark, recipientMark)
		terms = append(terms, wordsTerm{text: spaced(term), marks: marks})
	}
	return terms
}

// conditions returns the conditions that no index of words knows.
func (q *SearchQuery) conditions(sql *engine.Dialect) (where string, args []any) {
	x := &q.Match
	add := func(condition string, with ...any) {
		where, args = where+condition, append(args, with...)
	}

	if !q.Since.IsZero() {
		add(` AND m.accepted_at > ?`, nanos(q.Since))
	}
	if !q.Until.IsZero() {
		add(` AND m.accepted_at <= ?`, nanos(q.Until))
	}

	if q.parts {
		for _, term := range searchTerms(q.Words) {
			q.addPart(sql, term, add)
		}
	}

	switch {
	case x.rareStates():
		of := func(index, condition string) string {
			return `SELECT d.message_seq FROM deliveries d` + sql.IndexedBy(index) + `
				WHERE ` + condition + ` AND d.state IN ?`
		}
		add(` AND m.seq IN (`+of("deliveries_open", isOpen)+` UNION `+of("deliveries_ended", isRetriable)+`)`,
			x.States, x.States)
	case len(x.States) > 0:
		add(` AND EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.state IN ?)`, x.States)
	}
	if len(x.States) > 0 && len(q.To) > 0 { // one and the same delivery
		add(` AND EXISTS (SELECT 1 FROM deliveries d
			WHERE d.message_seq = m.seq AND d.recipient_id IN ? AND d.state IN ?)`, q.To, x.States)
	}

	switch {
	case len(x.Types) > 0 && len(x.Kinds) > 0:
		add(` AND (m.type IN ? OR m.kind IN ?)`, x.Types, x.Kinds)
	case len(x.Types) > 0:
		add(` AND m.type IN ?`, x.Types)
	case len(x.Kinds) > 0:
		add(` AND m.kind IN ?`, x.Kinds)
	}

	if x.rareTypes() {
		add(rareType)
	}
	if len(x.Priorities) > 0 {
		add(` AND m.priority IN ?`, x.Priorities)
	}
	if x.rarePriorities() {
		add(rareFirst)
	}
	if x.Files {
		add(` AND m.attachments <> ''`)
	}
	if x.Asks {
		add(` AND m.requires_response <> 0`)
	}
	if x.Answers {
		add(` AND m.in_reply_to <> ''`)
	}

	return where, args
}

// addPart adds the condition that a word is part of a text, or begins the name of one of its people.
func (q *SearchQuery) addPart(sql *engine.Dialect, term string, add func(string, ...any)) {
	const named = ` OR m.sender_id IN ?
		OR EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.recipient_id IN ?)`

	var parts []string
	var args []any
	for _, spelling := range spellings(term) {
		parts, args = append(parts, sql.Place+`(lower(m.text), ?) > 0`), append(args, spelling)
	}

	condition := strings.Join(parts, ` OR `)
	if ids := q.Named[term]; len(ids) > 0 {
		condition, args = condition+named, append(args, ids, ids)
	}
	add(` AND (`+condition+`)`, args...)
}

// spellings returns how a word may stand in a lowered text: the lower of both databases leaves letters alone that
// are not ASCII.
func spellings(word string) (list []string) {
	small := strings.ToLower(word)
	first, size := utf8.DecodeRuneInString(small)
	for _, s := range []string{small, string(unicode.ToUpper(first)) + small[size:], strings.ToUpper(word), word} {
		if s = strings.Map(lowerASCII, s); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func lowerASCII(r rune) rune {
	if r <= unicode.MaxASCII {
		return unicode.ToLower(r)
	}
	return r
}

// statesOf reads how many deliveries are in which state.
func statesOf(text string) map[parley.DeliveryState]int {
	states := map[parley.DeliveryState]int{}
	fields := strings.Fields(text)
	for i := 0; i+1 < len(fields); i += 2 {
		states[parley.DeliveryState(fields[i])], _ = strconv.Atoi(fields[i+1])
	}
	return states
}
