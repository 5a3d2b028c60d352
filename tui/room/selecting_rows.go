package room

import "parley/tui/team"

// IdsOf returns the ids of messages.
func IdsOf(rows []*team.Row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.Id
	}
	return ids
}
