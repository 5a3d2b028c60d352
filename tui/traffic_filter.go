package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// filter is the line in which the operator says what to look for in a record.
type filter struct {
	*shared
	*record
	search search
	open   bool
	text   string
}

// query is a parsed filter: terms that must all match.
type query struct {
	text  string
	terms []term
	found map[string]string // by message: where its whole text has all the words; see search
}

// term is a word, and the part of a row that must have it; "" is any part.
type term struct{ where, word string }

// filterPlaces are the words before a colon that a filter knows, and the part of a
// row that each looks in.
var filterPlaces = map[string]func(*row) string{
	"from":   func(r *row) string { return r.from },
	"to":     func(r *row) string { return r.to },
	"agent":  func(r *row) string { return r.from + " " + r.to },
	"thread": func(r *row) string { return r.thread + " " + r.threadID },
	"type":   func(r *row) string { return string(r.kind) + " " + string(r.typ) + " " + r.tag() },
	"state":  (*row).states,
	"is":     (*row).states,
	"": func(r *row) string {
		return strings.Join([]string{r.from, r.to, r.words(), r.tag(), r.id, r.text}, " ")
	},
}

// parseQuery parses a filter: `from:coder state:held parser`. A word with another
// prefix before its colon is text.
func parseQuery(text string) query {
	q := query{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		where, rest, ok := strings.Cut(word, ":")
		if !ok || where == "" || filterPlaces[where] == nil {
			where, rest = "", word
		}
		if rest != "" {
			q.terms = append(q.terms, term{where, rest})
		}
	}
	return q
}

func (q query) empty() bool { return len(q.terms) == 0 }

// matches reports whether a row matches a query.
func (r *row) matches(q query) bool {
	_, inText := q.found[r.id]
	for _, t := range q.terms {
		if inText && t.searched() {
			continue
		}
		if !strings.Contains(strings.ToLower(filterPlaces[t.where](r)), t.word) {
			return false
		}
	}
	return true
}

// states returns the delivery states of all recipients.
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

// filterHint tells what may be written, while nothing is.
const filterHint = "words, from: to: agent: thread: type: state:"

func (f *filter) keys() []binding {
	return []binding{
		bind("enter", "keep the filter", f.keep).hinted("keep"),
		bind("backspace", "delete a character", f.rub, "ctrl+h"),
		bind("esc", "show everything", f.drop, "ctrl+c", "ctrl+u").hinted("show all"),
	}
}

// line draws the line as it is written, with its end in sight.
func (f *filter) line(w int) string { return "/" + tail(f.text, w-2) }

// lineWithHint draws the line, with a hint while it is empty.
func (f *filter) lineWithHint(w int) string {
	line := f.line(w)
	if f.text == "" {
		line += f.theme.dim.Render(fit("  "+filterHint, w-2))
	}
	return line
}

func (f *filter) start() tea.Cmd { f.open = true; return nil }

func (f *filter) keep() tea.Cmd { f.open = false; return nil }

func (f *filter) drop() tea.Cmd {
	f.open = false
	f.set("")
	return nil
}

func (f *filter) rub() tea.Cmd {
	if r := []rune(f.text); len(r) > 0 {
		f.set(string(r[:len(r)-1]))
	}
	return nil
}

// set shows what matches a text, at once as it is typed.
func (f *filter) set(text string) {
	text = visible(strings.ReplaceAll(text, "\n", " "))
	f.text = text
	f.query = parseQuery(text)
	if f.search.words == f.query.words() {
		f.query.found = f.search.found
	}
	f.sift()
}

// clear shows everything, without a search.
func (f *filter) clear() {
	f.open, f.text, f.query = false, "", query{}
	f.sift()
}
