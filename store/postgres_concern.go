package store

import (
	"strings"

	"parley"
)

// Whom a transaction concerns is told with the ring of the doorbell. What only takes messages to terminals along
// concerns the hosts of these terminals, and hosts where somebody waits for events. The others take it when they
// look next, or before they write themselves. All else concerns all.

// concernMark stands around each name of a host that a ring concerns. No name holds it.
const concernMark = "\n"

// mostConcerned is how many recipients are looked up. A ring has room for 8000 bytes.
const mostConcerned = 100

// concerned returns the recipients whose hosts the transaction concerns, nil for all hosts.
func (t *tx) concerned() []string {
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

// ring returns what the doorbell says, in SQL, and its parameter.
func (t *tx) ring() (text string, args []any) {
	ids := t.concerned()
	if len(ids) == 0 {
		return `''`, nil
	}
	return `coalesce((SELECT CASE WHEN bool_and(kind = 'terminal' AND host <> '') AND sum(length(host) + 1) < 7000
		THEN chr(10) || string_agg(DISTINCT host, chr(10)) || chr(10) END
		FROM agents WHERE id = ANY(string_to_array(?, ','))), '')`, []any{strings.Join(ids, ",")}
}

// hear takes what was said on the channel.
func (b *doorbell) hear(said string) {
	switch {
	case said == "":
		b.press()
	case said == b.host:
		b.relays.ring()
	case !strings.HasPrefix(said, concernMark): // a relay of another host
	case strings.Contains(said, concernMark+b.host+concernMark), b.attended.Load() > 0:
		b.press()
	default:
		b.later.Store(true)
	}
}

// attend notes that somebody waits for events, until the returned function is called.
func (b *doorbell) attend() (leave func()) {
	b.attended.Add(1)
	if b.later.Load() {
		b.press()
	}
	return func() { b.attended.Add(-1) }
}
