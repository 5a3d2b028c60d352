package messages

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/op"
	"parley/orchestrator/team"
)

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
