package store

import (
	"parley/store/engine"
)

// Follow calls f with what other hosts write from now on, each time before this daemon decides anything
// that it writes. It tells what was written since the store was opened, too. A file has no other hosts.
func (db *Hosts) Follow(f Follower) {
	db.base.Session.Follow(func(q querier, after, last int64) (int64, error) {
		n, to, err := readNews(q, nouns, after, last)
		if err == nil {
			touched := n.recipients()
			db.inboxes.invalidate(touched, touched)
			f(n)
		}
		return to, err
	})
}

// newsAtOnce is how many events are taken at once.
const newsAtOnce = 1000

// readNews reads the events after a number, newsAtOnce at most, and what they are about. It returns the
// number of the last.
func readNews(q querier, nouns []reread, after, last int64) (*News, int64, error) {
	var events []followedEvent
	if err := q.Query(&events, `SELECT seq, message_seq, type, recipient_id, agent_id, state, detail, reason_code
		FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`, after, last, newsAtOnce); err != nil {
		return nil, after, err
	}

	for i := range events {
		if after++; events[i].Seq != after {
			return nil, after, engine.ErrGap
		}
	}
	if len(events) == 0 && after < last {
		return nil, after, engine.ErrGap
	}

	n := &News{Titles: map[string]string{}, Settings: map[string]string{}}
	for _, f := range nouns {
		var about []followedEvent
		for i := range events {
			if f.about(&events[i]) {
				about = append(about, events[i])
			}
		}
		if len(about) == 0 {
			continue
		}
		if err := f.read(q, about, n); err != nil {
			return nil, after, err
		}
	}

	return n, after, nil
}
