package store

import (
	"strings"

	"parley"
)

// Whom a transaction concerns is told with the ring of the doorbell. What only takes messages to terminals along
// concerns the hosts of these terminals, and hosts where somebody waits for events. The others take it when they
// look next, or before they write themselves. All else concerns all.

// mostConcerned is how many recipients are looked up. A ring has room for 8000 bytes.
const mostConcerned = 100

// concerned returns the recipients whose hosts the transaction concerns, nil for all hosts.
func concerned(t *tx) []string {
	ids := map[string]bool{}
	for _, e := range eventsTable.Added(t) {
		switch e.Type {
		case parley.EventDelivery:
			ids[e.RecipientID] = true
		case parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage:
		default:
			return nil
		}
	}
	for _, d := range deliveriesTable.Added(t) {
		ids[d.RecipientID] = true
	}
	if len(ids) > mostConcerned {
		return nil
	}

	var all []string
	for id := range ids {
		all = append(all, id)
	}
	return all
}

// ringOf returns what the doorbell says, in SQL, and its parameter.
func ringOf(t *tx) (text string, args []any) {
	ids := concerned(t)
	if len(ids) == 0 {
		return `''`, nil
	}
	return `coalesce((SELECT CASE WHEN bool_and(kind = 'terminal' AND host <> '') AND sum(length(host) + 1) < 7000
		THEN chr(10) || string_agg(DISTINCT host, chr(10)) || chr(10) END
		FROM agents WHERE id = ANY(string_to_array(?, ','))), '')`, []any{strings.Join(ids, ",")}
}
