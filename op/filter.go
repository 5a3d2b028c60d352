package op

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/when"
	"parley/plain"
)

// Filter is what a person types to find messages: `from:coder is:held since:2h parser`. The screen, the page and
// find_messages read it alike.
type Filter struct {
	Request parley.FindMessagesRequest // what it asks for
	Asks    bool                       // it has a condition, perhaps one that is only begun
	Problem string                     // why it cannot be asked, in a sentence; "" if it can
}

// FilterYou is the operator's name in a filter.
const FilterYou = "you"

// FilterPlaces returns the words before a colon that a filter knows, with their colons.
func FilterPlaces() []string {
	return []string{
		"is:", "state:", "from:", "to:", "agent:", "thread:", "since:", "until:", "on:", "has:", "type:", "priority:",
	}
}

// FilterValues returns the values that a place takes, as far as there is a list of them. Names are those of the agents.
func FilterValues(place string, names []string) []string {
	switch place {
	case "is:", "state:":
		return append(plain.Strings(parley.DeliveryStates()), "pending", "waiting", "delivered", "problem")
	case "from:", "to:", "agent:":
		return append(slices.Clone(names), FilterYou, parley.SystemName)
	case "since:", "until:":
		return []string{"1h", "24h", "7d", "today", "yesterday", "2026-01-31"}
	case "on:":
		return []string{"today", "yesterday", "monday", "2026-01-31"}
	case "has:":
		return parley.HasTerms()
	case "type:":
		return append(plain.Strings(parley.MessageTypes()), plain.Strings(parley.MessageKinds())...)
	case "priority:":
		return plain.Strings(parley.Priorities())
	}
	return nil
}

// ParseFilter parses a filter. Values may be unfinished, and several of them have commas between them. A word with
// another prefix before its colon is text.
func ParseFilter(text string, names []string, now time.Time) Filter {
	f := Filter{}
	f.Request.Begun = true
	var words []string
	for word := range strings.FieldsSeq(text) {
		place, value, ok := strings.Cut(word, ":")
		place = strings.ToLower(place) + ":"
		switch {
		case !ok || !slices.Contains(FilterPlaces(), place):
			words, f.Asks = append(words, word), true
		case value != "":
			f.Asks = true
			f.add(place, strings.ToLower(value), names, now)
		}
	}
	f.Request.Query = strings.Join(words, " ")

	return f
}

func (f *Filter) add(place, value string, names []string, now time.Time) {
	r := &f.Request
	begun := func() []string { return f.begun(place, value, names) }
	people := func() []string {
		all := begun()
		for i, name := range all {
			if name == FilterYou {
				all[i] = parley.OperatorName
			}
		}
		return all
	}

	switch place {
	case "is:", "state:":
		for _, s := range begun() {
			r.States = append(r.States, statesOf(s)...)
		}
	case "from:":
		r.From = strings.Join(people(), ",")
	case "to:":
		r.To = strings.Join(people(), ",")
	case "agent:":
		r.Agents = people()
	case "thread:":
		r.Thread = value
	case "has:":
		r.Has = begun()
	case "type:":
		r.Types = begun()
	case "priority:":
		r.Ranks = begun()
	default:
		f.addTime(place, value, now)
	}
}

// begun returns the values of a place that begin as those of a list with commas do.
func (f *Filter) begun(place, value string, names []string) (all []string) {
	for v := range strings.SplitSeq(value, ",") {
		some := beginWith(FilterValues(place, names), v)
		if v != "" && len(some) == 0 {
			f.Problem = fmt.Sprintf("%s%s is not known.", place, plain.CleanLine(v))
		}
		all = append(all, some...)
	}
	return all
}

func (f *Filter) addTime(place, value string, now time.Time) {
	at, day, ok := when.Past(value, now)
	end := at.AddDate(0, 0, 1).Add(-time.Nanosecond)
	switch {
	case !ok:
		f.Problem = fmt.Sprintf("%s wants a time such as 2h, 3d, 09:30, today, monday or 2026-01-31.", place)
	case place == "since:":
		f.Request.Since = &at
	case place == "until:" && day:
		f.Request.Until = &end
	case place == "until:":
		f.Request.Until = &at
	case day:
		f.Request.Since, f.Request.Until = &at, &end
	default:
		f.Problem = "on: wants a day such as today, monday or 2026-01-31."
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

func statesOf(word string) []string {
	if group, ok := parley.DeliveryGroup(word); ok {
		return plain.Strings(group)
	}
	return []string{word}
}
