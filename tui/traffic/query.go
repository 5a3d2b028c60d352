package traffic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/tui/kit"
)

// query is a parsed filter: what is asked of the daemon, or what is wrong with it.
type query struct {
	text    string
	request parley.FindMessagesRequest
	asks    bool   // it has a condition
	problem string // why it cannot be asked; "" if it can
}

// empty reports whether the filter lets everything through, as one does that is only begun.
func (q *query) empty() bool { return !q.asks }

// filterPlaces are the words before a colon that a filter knows.
var filterPlaces = []string{
	"is:", "state:", "from:", "to:", "agent:", "thread:", "since:", "until:", "on:", "has:", "type:", "priority:",
}

// filterValues returns the values that a place takes, as far as there is a list of them.
func (f *filter) filterValues(place string) []string {
	var values []string
	switch place {
	case "is:", "state:":
		for _, s := range parley.DeliveryStates() {
			values = append(values, string(s))
		}
		return append(values, "pending", "waiting", "delivered", "problem")
	case "from:", "to:", "agent:":
		for i := range f.Team.List {
			values = append(values, f.Team.List[i].Name)
		}
		return append(values, kit.You, parley.SystemName)
	case "since:", "until:":
		return []string{"1h", "24h", "7d", "today", "yesterday", "2026-01-31"}
	case "on:":
		return []string{"today", "yesterday", "monday", "2026-01-31"}
	case "has:":
		return parley.HasTerms()
	case "type:":
		for _, t := range parley.MessageTypes() {
			values = append(values, string(t))
		}
		for _, k := range parley.MessageKinds() {
			values = append(values, string(k))
		}
		return values
	case "priority:":
		for _, p := range parley.Priorities() {
			values = append(values, string(p))
		}
	}

	return values
}

// parseQuery parses a filter: `from:coder is:held parser`. Values may be unfinished, and
// several of them have commas between them. A word with another prefix before its colon
// is text.
func (f *filter) parseQuery(text string) query {
	q := query{text: strings.TrimSpace(text)}
	text = expandFilters(f.Saved, text)
	var words []string
	for word := range strings.FieldsSeq(text) {
		place, value, ok := strings.Cut(word, ":")
		place = strings.ToLower(place) + ":"
		switch {
		case !ok || !slices.Contains(filterPlaces, place):
			words, q.asks = append(words, word), true
		case value != "":
			q.asks = true
			f.addTerm(&q, place, strings.ToLower(value))
		}
	}

	q.request.Query, q.request.Begun = strings.Join(words, " "), true

	return q
}

// addTerm adds one term of a filter.
func (f *filter) addTerm(q *query, place, value string) {
	r := &q.request
	begun := func() (all []string) {
		for v := range strings.SplitSeq(value, ",") {
			some := beginWith(f.filterValues(place), v)
			if v != "" && len(some) == 0 {
				q.problem = fmt.Sprintf("%s%s is not known.", place, kit.SafeLine(v))
			}
			all = append(all, some...)
		}
		return all
	}

	switch place {
	case "is:", "state:":
		for _, s := range begun() {
			r.States = append(r.States, stateNames(s)...)
		}
	case "from:":
		r.From = strings.Join(refsOf(begun()), ",")
	case "to:":
		r.To = strings.Join(refsOf(begun()), ",")
	case "agent:":
		r.Agents = refsOf(begun())
	case "thread:":
		r.Thread = value
	case "has:":
		r.Has = begun()
	case "type:":
		r.Types = begun()
	case "priority:":
		r.Ranks = begun()
	default:
		f.addTime(q, place, value)
	}
}

func (f *filter) addTime(q *query, place, value string) {
	at, day, ok := parley.ParsePast(value, f.Now)
	end := at.Add(24*time.Hour - time.Nanosecond)
	switch {
	case !ok:
		q.problem = fmt.Sprintf("%s wants a time such as 2h, 3d, 09:30, today, monday or 2026-01-31.", place)
	case place == "since:":
		q.request.Since = &at
	case place == "until:" && day:
		q.request.Until = &end
	case place == "until:":
		q.request.Until = &at
	case day:
		q.request.Since, q.request.Until = &at, &end
	default:
		q.problem = "on: wants a day such as today, monday or 2026-01-31."
	}
}

// beginWith returns the values that begin with a text, or the one that is it.
func beginWith(values []string, text string) []string {
	var some []string
	for _, v := range values {
		switch lower := strings.ToLower(v); {
		case lower == text:
			return []string{v}
		case text != "" && strings.HasPrefix(lower, text):
			some = append(some, v)
		}
	}
	return some
}

// stateNames returns the states that a word stands for.
func stateNames(word string) []string {
	group, ok := parley.DeliveryGroup(word)
	if !ok {
		return []string{word}
	}
	names := make([]string, len(group))
	for i, s := range group {
		names[i] = string(s)
	}
	return names
}

// refsOf returns the names as the service knows them.
func refsOf(names []string) []string {
	for i, name := range names {
		if name == kit.You {
			names[i] = parley.OperatorName
		}
	}
	return names
}
