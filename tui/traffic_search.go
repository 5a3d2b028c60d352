package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	searchAfter = 250 * time.Millisecond // a filter stands still before whole texts are searched for it
	searchHits  = 100                    // as many as the daemon gives at once
	searchFrom  = 2                      // letters of a word that make a search worth while
)

// search is the daemon's search of whole texts, for the words of a filter: an event
// tells only how a text begins.
type search struct {
	words  string // that were looked for last
	asking bool
	found  map[string]string // by message: the part of its text where the words are
	more   bool              // there are older ones
}

// searchedMsg is what was found.
type searchedMsg struct {
	words string
	found map[string]string
	more  bool
	err   error
}

// words are those of a filter that may stand anywhere.
func (s sought) words() string {
	var words []string
	for _, t := range s.terms {
		if t.where == "" && len([]rune(t.word)) >= searchFrom {
			words = append(words, t.word)
		}
	}
	return strings.Join(words, " ")
}

// said is how a row's text begins, or that part of it which was found further on.
func (s sought) said(r *row) string {
	part, ok := s.found[r.id]
	text := strings.ToLower(r.text)
	for _, t := range s.terms {
		if ok && t.where == "" && !strings.Contains(text, t.word) {
			return part
		}
	}
	return r.text
}

// askSearch asks for the filter's words, one question at a time.
func (t *traffic) askSearch() tea.Cmd {
	words := t.sought.words()
	if t.search.words == words || t.search.asking || t.link.lost != nil {
		return nil
	}

	t.search.words, t.search.found, t.search.more = words, nil, false
	if words == "" {
		return nil
	}

	t.search.asking = true

	return t.do.later(searchAfter, func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.SearchMessages(ctx, parley.SearchMessagesRequest{Query: words, Limit: searchHits})
		if err != nil {
			return searchedMsg{words: words, err: err}
		}

		msg := searchedMsg{words: words, found: map[string]string{}, more: res.HasMore || res.Truncated}
		for _, m := range res.Messages {
			msg.found[m.MessageID] = safeLine(m.Snippet)
		}

		return msg
	})
}

// searched takes what was found. Without it the filter shows what it finds by itself.
func (t *traffic) searched(msg searchedMsg) {
	t.search.asking = false
	if msg.err != nil {
		t.daemonGone(msg.err)
		return
	}
	if msg.words == t.sought.words() {
		t.search.found, t.search.more = msg.found, msg.more
		t.sought.found = msg.found
		t.sift()
	}
}
