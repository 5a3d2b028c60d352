package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/store"
)

// SearchMessages implements parley.MessageService.
func (ms *messageService) SearchMessages(
	ctx context.Context, req parley.SearchMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	if store.NoWords(req.Query) {
		return nil, noWords(req.Query)
	}
	return ms.FindMessages(ctx, parley.FindMessagesRequest{
		Query: req.Query, From: req.From, To: req.To, Since: req.Since, Until: req.Until, Limit: req.Limit,
	})
}

func noWords(query string) error {
	return parley.Errorf(parley.InvalidArgument, "there is no word in %q", parley.CleanLine(query)).
		With("parameter", "query").
		Suggest("Give at least one word or number; signs alone cannot be looked for.")
}

// FindMessages implements parley.MessageService.
func (ms *messageService) FindMessages(
	ctx context.Context, req parley.FindMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	me, err := ms.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := readFilter(&req, ms.roster, ms.now()); err != nil {
		return nil, err
	}
	if req.Query != "" && store.NoWords(req.Query) {
		return nil, noWords(req.Query)
	}

	q := store.SearchQuery{
		Words: req.Query,
		Begun: req.Begun,
		For:   me.ID,
		All:   parley.CallerFrom(ctx).Operator,
		Limit: cmp.Or(req.Limit, 20),
		Since: later(req.Since, nil),
		Until: later(req.Until, nil),
		Match: searchMatch(req),
	}
	if err := ms.searchPeople(ctx, &q, req); err != nil {
		return nil, err
	}

	page, err := ms.store.Search(ctx, q)
	if err != nil {
		return nil, err
	}

	res := &parley.SearchMessagesResult{Answer: parley.OK, Messages: []parley.FoundMessage{}, HasMore: page.HasMore}
	if !page.SearchedSince.IsZero() {
		res.Truncated, res.SearchedSince = true, &page.SearchedSince
	}

	given := make([]string, 0, len(page.Items))
	for _, found := range page.Items {
		given = append(given, found.Message.ID)
		res.Messages = append(res.Messages, parley.FoundMessage{
			ContractMessage: ms.contractMessage(found.InboxItem),
			Kind:            found.Message.Kind,
			ThreadTitle:     ms.roster.FillIn(&found.Message).ThreadTitle,
			RecipientIDs:    orEmpty(found.Recipients),
			Recipients:      ms.namesOf(found.Recipients),
			RecipientCount:  found.RecipientCount,
			States:          found.States,
			Snippet:         snippet(found.Message.Text, req.Query),
		})
	}

	if me.Kind != parley.KindTerminal || len(given) == 0 {
		return res, nil
	}
	return res, ms.store.NoteGiven(ctx, me.ID, given, parley.ProofFetched.Words("found with search_messages"))
}

// A snippet fills about two lines of a terminal and begins a little before the matching words.
const (
	snippetLength = 160
	snippetBefore = 40
)

// snippet returns, on one line, the part of a text around the first of the query's words, or
// the beginning if the text has none of them in that spelling.
func snippet(text, query string) string {
	line := []rune(parley.CleanLine(text))
	lower := slices.Clone(line)
	for i, r := range lower {
		lower[i] = unicode.ToLower(r)
	}

	at := len(line)
	for word := range strings.FieldsSeq(strings.ReplaceAll(query, `"`, " ")) {
		if i := indexRunes(lower, []rune(strings.ToLower(word))); i >= 0 {
			at = min(at, i)
		}
	}

	if at == len(line) || at <= snippetBefore || len(line) <= snippetLength {
		return parley.Truncate(string(line), snippetLength)
	}

	from := min(at-snippetBefore, len(line)-snippetLength+1)

	return "…" + parley.Truncate(string(line[from:]), snippetLength-1)
}

// indexRunes returns the index of part in whole, or -1 if it is not there.
func indexRunes(whole, part []rune) int {
	for i := range len(whole) - len(part) + 1 {
		if slices.Equal(whole[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// How many unread messages are previewed, and how many characters of each.
const (
	newShown    = 5
	previewText = 100
)

// CheckNewMessages implements parley.MessageService.
func (ms *messageService) CheckNewMessages(
	ctx context.Context, _ parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	me, err := ms.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	items, unread, err := ms.store.Pressing(ctx, me.ID, newShown)
	if err != nil {
		return nil, err
	}

	res := &parley.CheckNewMessagesResult{
		Answer:      parley.OK,
		UnreadCount: unread,
		Message:     unreadSentence(unread),
		Messages:    []parley.NewMessage{},
	}

	var whole []store.InboxItem
	for _, item := range items {
		if line := parley.CleanLine(item.Message.Text); parley.Truncate(line, previewText) == line {
			whole = append(whole, item)
		}
		m := ms.roster.FillIn(&item.Message)
		res.Messages = append(res.Messages, parley.NewMessage{MessageID: m.ID, Sender: m.Sender, Priority: m.Priority,
			Preview: parley.Truncate(parley.CleanLine(m.Text), previewText)})
	}

	return res, ms.noteGiven(ctx, me, whole, "shown whole by check_new_messages")
}

func unreadSentence(n int) string {
	switch n {
	case 0:
		return "You have no unread messages."
	case 1:
		return "You have 1 unread message."
	}
	return fmt.Sprintf("You have %d unread messages; get_messages reads them.", n)
}
