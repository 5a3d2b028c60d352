package messages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/op"
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

	page, err := se.store.Messages.Search(ctx, q)
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
			ThreadTitle:     se.roster.Names.FillIn(&found.Message).ThreadTitle,
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
	return res, se.store.Inbox.NoteGiven(ctx, me.ID, given, "found with search_messages")
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

// readFilter adds to a request what its filter asks for. INVALID_ARGUMENT for one that cannot be asked.
func readFilter(req *parley.FindMessagesRequest, roster *team.Roster, now time.Time) error {
	if req.Filter == "" {
		return nil
	}

	var names []string
	for _, m := range roster.All() {
		if m.Name != parley.OperatorName {
			names = append(names, m.Name)
		}
	}
	f := op.ParseFilter(req.Filter, names, now.Local())
	if f.Problem != "" {
		return parley.Errorf(parley.InvalidArgument, "%s", strings.TrimSuffix(f.Problem, ".")).
			With("parameter", "filter").
			Suggest("Change that word of the filter.")
	}

	add := &f.Request
	req.Begun = true
	req.Query = strings.TrimSpace(req.Query + " " + add.Query)
	req.From, req.To = cmp.Or(add.From, req.From), cmp.Or(add.To, req.To)
	req.Thread = cmp.Or(add.Thread, req.Thread)
	req.Agents = slices.Concat(req.Agents, add.Agents)
	req.States, req.Types = slices.Concat(req.States, add.States), slices.Concat(req.Types, add.Types)
	req.Ranks, req.Has = slices.Concat(req.Ranks, add.Ranks), slices.Concat(req.Has, add.Has)
	req.Since, req.Until = cmp.Or(add.Since, req.Since), cmp.Or(add.Until, req.Until)

	return nil
}

// searchMatch returns the conditions of a search on messages as such.
func searchMatch(req parley.FindMessagesRequest) store.SearchMatch {
	x := store.SearchMatch{
		Files:   slices.Contains(req.Has, parley.HasFile),
		Asks:    slices.Contains(req.Has, parley.HasQuestion),
		Answers: slices.Contains(req.Has, parley.HasReply),
	}

	for _, state := range req.States {
		x.States = append(x.States, parley.DeliveryState(state))
	}
	for _, priority := range req.Ranks {
		x.Priorities = append(x.Priorities, parley.Priority(priority))
	}
	for _, word := range req.Types {
		if slices.Contains(parley.MessageTypes(), parley.MessageType(word)) {
			x.Types = append(x.Types, parley.MessageType(word))
		} else {
			x.Kinds = append(x.Kinds, parley.MessageKind(word))
		}
	}

	return x
}

// searchPeople sets whose messages a query asks for, of which thread, and before which message.
func (se *search) searchPeople(
	ctx context.Context, q *store.SearchQuery, req parley.FindMessagesRequest,
) (err error) {
	if q.From, err = se.idsOf(strings.Split(req.From, ",")); err != nil {
		return err
	}
	if q.To, err = se.idsOf(strings.Split(req.To, ",")); err != nil {
		return err
	}
	if q.Agents, err = se.idsOf(req.Agents); err != nil {
		return err
	}

	if req.Thread != "" {
		if q.Thread = se.roster.Names.Titles.Matching(req.Thread); len(q.Thread) == 0 {
			return parley.Errorf(parley.ThreadNotFound, "no thread's title has %q", plain.CleanLine(req.Thread)).
				With("parameter", "thread").Suggest("list_threads shows all of them.")
		}
	}

	if req.Begun {
		q.Named = se.named(req.Query)
	}

	if req.Before != "" {
		m, _, err := se.access.Visible(ctx, parley.CallerFrom(ctx), req.Before)
		if err != nil {
			return err
		}
		q.Before = m.ID
	}

	return nil
}

// idsOf returns the ids of agents, or of parley itself. Empty names are left out.
func (se *search) idsOf(refs []string) (ids []string, err error) {
	for _, ref := range refs {
		if ref == "" {
			continue
		}

		m := se.roster.ByName(ref)
		if m == nil {
			if m, err = se.roster.Find(ref); err != nil {
				return nil, err
			}
		}

		ids = append(ids, m.ID)
	}

	return ids, nil
}

// named returns, for the words of a query that begin the names of agents, the ids of these.
func (se *search) named(query string) map[string][]string {
	named := map[string][]string{}
	for word := range strings.FieldsSeq(query) {
		for _, m := range se.roster.All() {
			if strings.HasPrefix(strings.ToLower(m.Name), strings.ToLower(word)) {
				named[word] = append(named[word], m.ID)
			}
		}
	}
	return named
}

func (se *search) namesOf(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = parley.Short(id); se.roster.ByID(id) != nil {
			names[i] = se.roster.ByID(id).Name
		}
	}
	return names
}
