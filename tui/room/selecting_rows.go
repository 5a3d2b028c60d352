package room

import "parley/tui/team"

// IDsOf returns the ids of messages.
func IDsOf(rows []*team.Row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}
