package store

import (
	"slices"
	"strconv"
	"strings"

	"parley"
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
	openStates  = `'queued', 'held', 'typing'`
	endedStates = `'failed', 'unconfirmed', 'expired'`
	rareType    = ` AND m.type <> 'information'`
	rareFirst   = ` AND m.priority <> 'normal'`
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
func (q *SearchQuery) narrow(words string) bool {
	x := &q.Match
	return words == "" && q.All && (x.rareStates() || x.rareTypes() || x.rarePriorities() || len(q.Thread) > 0)
}

// indexed reports whether the index of words finds the messages.
func (q *SearchQuery) indexed(words string) bool {
	marked := !q.All || len(q.From)+len(q.To)+len(q.Agents)+len(q.Thread) > 0
	return words != "" || marked && !q.narrow(words)
}

// order returns the column to sort by. Both have the same numbers.
func (q *SearchQuery) order(words string) string {
	if q.indexed(words) {
		return "w.rowid"
	}
	return "m.seq"
}

// source returns where the messages of a stretch come from.
func (q *SearchQuery) source(words string, part stretch) (from, where string, args []any) {
	if q.indexed(words) {
		return `message_words w CROSS JOIN messages m ON m.seq = w.rowid`,
			`w.message_words MATCH ? AND w.rowid BETWEEN ? AND ?`, []any{q.match(words, part), part.from, part.to}
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

// match returns the FTS5 query for a stretch. The marks come first, and the stretch is the
// last of them: FTS5 goes through the terms in this order, so it does not look for words in
// messages without the marks.
func (q *SearchQuery) match(words string, part stretch) string {
	var marks []string
	add := func(ids []string, of ...func(string) string) {
		if len(ids) == 0 {
			return
		}
		marks = append(marks, anyMark(ids, of...))
	}

	if !q.All {
		readable := []string{senderMark(q.For), recipientMark(q.For)}
		for _, id := range q.late {
			readable = append(readable, threadMark(id))
		}
		marks = append(marks, `("`+strings.Join(readable, `" OR "`)+`")`)
	}

	add(q.From, senderMark)
	add(q.To, recipientMark)
	add(q.Agents, senderMark, recipientMark)
	add(q.Thread, threadMark)
	marks = append(marks, `"`+stretchMark(part.from, part.bits)+`"`)
	found := `marks : (` + strings.Join(marks, ` AND `) + `)`
	if words != "" {
		found += ` AND ` + words
	}

	return found
}

// anyMark returns the FTS5 expression for one of some agents' marks.
func anyMark(ids []string, of ...func(string) string) string {
	var marks []string
	for _, id := range ids {
		for _, mark := range of {
			marks = append(marks, mark(id))
		}
	}
	return `("` + strings.Join(marks, `" OR "`) + `")`
}

// words returns the FTS5 expression for the words of a query, "" for none and for parts of
// words. Those would make FTS5 merge the lists of all words that begin so: for two letters,
// that took a second in a million messages.
func (q *SearchQuery) words() string {
	var terms []string
	if q.parts {
		return ""
	}
	for _, term := range searchTerms(q.Words) {
		expr := `"` + spaced(term) + `"`
		expr = `words : ` + expr
		if ids := q.Named[term]; len(ids) > 0 {
			expr = `(` + expr + ` OR marks : ` + anyMark(ids, senderMark, recipientMark) + `)`
		}

		terms = append(terms, expr)
	}

	return strings.Join(terms, " AND ")
}

// conditions returns the conditions that no index of words knows.
func (q *SearchQuery) conditions() (where string, args []any) {
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
			q.addPart(term, add)
		}
	}

	switch {
	case x.rareStates():
		of := func(index, states string) string {
			return `SELECT d.message_seq FROM deliveries d INDEXED BY ` + index + ` WHERE d.state IN (` + states + `) AND d.state IN ?`
		}
		add(` AND m.seq IN (`+of("deliveries_open", openStates)+` UNION `+of("deliveries_ended", endedStates)+`)`, x.States, x.States)
	case len(x.States) > 0:
		add(` AND EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.state IN ?)`, x.States)
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
		add(` AND m.requires_response`)
	}
	if x.Answers {
		add(` AND m.in_reply_to <> ''`)
	}

	return where, args
}

// addPart adds the condition that a word is part of a text, or begins the name of one of its people.
func (q *SearchQuery) addPart(term string, add func(string, ...any)) {
	ids := q.Named[term]
	if len(ids) == 0 {
		add(` AND instr(lower(m.text), ?) > 0`, strings.ToLower(term))
		return
	}
	add(` AND (instr(lower(m.text), ?) > 0 OR m.sender_id IN ? OR EXISTS (SELECT 1 FROM deliveries d
		WHERE d.message_seq = m.seq AND d.recipient_id IN ?))`, strings.ToLower(term), ids, ids)
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
