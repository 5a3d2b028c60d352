package traffic

import (
	"strings"

	"parley/op"
)

// empty reports whether the filter lets everything through, as one does that is only begun.
func (q *query) empty() bool { return !q.asks }

// parseQuery parses a filter, in which names of saved ones may stand.
func (f *filter) parseQuery(text string) query {
	p := op.ParseFilter(expandFilters(f.Saved, text), f.names(), f.Now)
	return query{text: strings.TrimSpace(text), request: p.Request, asks: p.Asks, problem: p.Problem}
}

// names returns the names of the agents.
func (f *filter) names() []string {
	all := make([]string, len(f.Team.List))
	for i := range f.Team.List {
		all[i] = f.Team.List[i].Name
	}
	return all
}
