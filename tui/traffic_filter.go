package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// filter is the line in which the operator says what to look for.
type filter struct {
	open bool
	text string
}

// sought is a filter that was read: words that must all be there, some of them
// in one place only.
type sought struct {
	text  string
	terms []term
	found map[string]string // messages in whose text all words are, and where; see search
}

// term is a word, and where it must stand: "" is anywhere.
type term struct{ where, word string }

// filterPlaces are the words before a colon that a filter knows.
var filterPlaces = []string{"from", "to", "agent", "thread", "type", "state", "is"}

// parseSought reads a filter: `from:coder state:held parser`. What has another
// word before its colon is text.
func parseSought(text string) sought {
	s := sought{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		where, rest, ok := strings.Cut(word, ":")
		if !ok || !slices.Contains(filterPlaces, where) {
			where, rest = "", word
		}
		if rest != "" {
			s.terms = append(s.terms, term{where, rest})
		}
	}
	return s
}

func (s sought) empty() bool { return len(s.terms) == 0 }

// has reports whether a person looking for that means this row.
func (r *row) has(s sought) bool {
	_, inText := s.found[r.id]
	for _, t := range s.terms {
		if inText && t.where == "" && len([]rune(t.word)) >= searchFrom {
			continue
		}
		if !strings.Contains(strings.ToLower(r.place(t.where)), t.word) {
			return false
		}
	}
	return true
}

// place is the part of a row in which a term looks.
func (r *row) place(where string) string {
	switch where {
	case "from":
		return r.from
	case "to":
		return r.to
	case "agent":
		return r.from + " " + r.to
	case "thread":
		return r.thread + " " + r.threadID
	case "type":
		return string(r.kind) + " " + string(r.typ) + " " + r.tag()
	case "state", "is":
		return r.states()
	}

	return strings.Join([]string{r.from, r.to, r.words(), r.tag(), r.id, r.text}, " ")
}

// states are the words for how far it is with each recipient.
func (r *row) states() string {
	words := r.words()
	for _, l := range r.legs {
		words += " " + string(l.state)
	}
	if len(r.legs) < r.count {
		words += " " + string(parley.DeliveryQueued)
	}
	return words
}

// filterHint is what may be written, while nothing is.
const filterHint = "words, from: to: agent: thread: type: state:"

// filterLine is the line as it is written, its end in sight.
func (m *model) filterLine(w int) string { return "/" + tail(m.traffic.filter.text, w-2) }

func (t *traffic) openFilter() tea.Cmd {
	t.filter.open = true
	return nil
}

// filterBy looks for text at once, as it is typed.
func (t *traffic) filterBy(text string) {
	text = visible(strings.ReplaceAll(text, "\n", " "))
	t.filter.text = text
	t.look(text)
	if t.search.words == t.sought.words() {
		t.sought.found = t.search.found
		t.sift()
	}
}

func (m *model) keepFilter() tea.Cmd { m.traffic.filter.open = false; return nil }

func (m *model) dropFilter() tea.Cmd {
	m.traffic.filter.open = false
	m.traffic.filterBy("")
	return nil
}

func (m *model) rubFilter() tea.Cmd {
	if r := []rune(m.traffic.filter.text); len(r) > 0 {
		m.traffic.filterBy(string(r[:len(r)-1]))
	}
	return nil
}
