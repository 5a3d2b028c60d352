package messages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// search finds messages.
type search struct {
	access *admission.Access
	store  *store.Store
	roster *team.Roster
	now    func() time.Time
}

// SearchMessages does op.SearchMessages.
func (se *search) SearchMessages(
	ctx context.Context, req parley.SearchMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	if store.NoWords(req.Query) {
		return nil, noWords(req.Query)
	}
	return se.FindMessages(ctx, parley.FindMessagesRequest{
		Query: req.Query, From: req.From, To: req.To, Since: req.Since, Until: req.Until, Limit: req.Limit,
	})
}

func noWords(query string) error {
	return parley.Errorf(parley.InvalidArgument, "there is no word in %q", plain.CleanLine(query)).
		With("parameter", "query").
		Suggest("Give at least one word or number; signs alone cannot be looked for.")
}

// FindMessages does op.FindMessages.
func (se *search) FindMessages(
	ctx context.Context, req parley.FindMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	me, err := se.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := readFilter(&req, se.roster, se.now()); err != nil {
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
	if err := se.searchPeople(ctx, &q, req); err != nil {
		return nil, err
	}

	page, err := se.store.Search(ctx, q)
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
			ContractMessage: ContractMessage(se.roster, found.InboxItem),
			Kind:            found.Message.Kind,
			ThreadTitle:     se.roster.FillIn(&found.Message).ThreadTitle,
			RecipientIDs:    orEmpty(found.Recipients),
			Recipients:      se.namesOf(found.Recipients),
			RecipientCount:  found.RecipientCount,
			States:          found.States,
			Snippet:         snippet(found.Message.Text, req.Query),
		})
	}

	if me.Kind != parley.KindTerminal || len(given) == 0 {
		return res, nil
	}
	return res, se.store.NoteGiven(ctx, me.ID, given, parley.ProofFetched.Words("found with search_messages"))
}

// A snippet fills about two lines of a terminal and begins a little before the matching words.
const (
	snippetLength = 160
	snippetBefore = 40
)

// snippet returns, on one line, the part of a text around the first of the query's words, or
// the beginning if the text has none of them in that spelling.
func snippet(text, query string) string {
	line := []rune(plain.CleanLine(text))
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
		return plain.Truncate(string(line), snippetLength)
	}

	from := min(at-snippetBefore, len(line)-snippetLength+1)

	return "…" + plain.Truncate(string(line[from:]), snippetLength-1)
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
