package messages

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/plain"
	"parley/store"
)

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
		if q.Thread = se.roster.Titles.Matching(req.Thread); len(q.Thread) == 0 {
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

// namesOf returns the names of agents.
func (se *search) namesOf(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = parley.Short(id); se.roster.ByID(id) != nil {
			names[i] = se.roster.ByID(id).Name
		}
	}
	return names
}
