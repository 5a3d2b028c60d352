package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	searchAfter = 250 * time.Millisecond // that a filter must not change before whole texts are searched
	searchHits  = 100                    // as many as the daemon gives at once
	searchFrom  = 2                      // letters that a word needs to be searched for
)

// search is the daemon's search of whole texts for the words of a filter: an
// event has only the beginning of a text.
type search struct {
	words  string // of the last search
	asking bool
	found  map[string]string // by message: the part of its text that has the words
}

// searchedMsg is the result of a search.
type searchedMsg struct {
	words string
	found map[string]string
	err   error
}

// searched reports whether whole texts are searched for a term.
func (t term) searched() bool { return t.where == "" && len([]rune(t.word)) >= searchFrom }

// words returns the words of a query that may stand anywhere.
func (q query) words() string {
	var words []string
	for _, t := range q.terms {
		if t.searched() {
			words = append(words, t.word)
		}
	}
	return strings.Join(words, " ")
}

// excerpt returns the beginning of a row's text, or the part further on that was
// found.
func (q query) excerpt(r *row) string {
	part, ok := q.found[r.id]
	text := strings.ToLower(r.text)
	for _, t := range q.terms {
		if ok && t.where == "" && !strings.Contains(text, t.word) {
			return part
		}
	}
	return r.text
}

// askSearch searches for the filter's words, one search at a time.
func (f *filter) askSearch() tea.Cmd {
	words := f.query.words()
	if f.search.words == words || f.search.asking || f.link.lost != nil {
		return nil
	}

	f.search.words, f.search.found = words, nil
	if words == "" {
		return nil
	}

	f.search.asking = true

	return f.do.later(searchAfter, func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.SearchMessages(ctx, parley.SearchMessagesRequest{Query: words, Limit: searchHits})
		if err != nil {
			return searchedMsg{words: words, err: err}
		}

		msg := searchedMsg{words: words, found: map[string]string{}}
		for _, m := range res.Messages {
			msg.found[m.MessageID] = safeLine(m.Snippet)
		}

		return msg
	})
}

// takeSearch takes the result. After an error the filter shows what it finds by
// itself.
func (f *filter) takeSearch(msg searchedMsg) {
	f.search.asking = false
	if msg.err != nil {
		f.link.gone(msg.err)
		return
	}
	if msg.words == f.query.words() {
		f.search.found, f.query.found = msg.found, msg.found
		f.sift()
	}
}
