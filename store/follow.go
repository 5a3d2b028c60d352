package store

import (
	"slices"

	"parley"
	"parley/store/engine"
)

// News is what other hosts have written since the last news. Of what changes it tells how that is now.
type News struct {
	Agents     []parley.Agent // that were made or changed
	Keys       []APIKey       // all keys of these agents
	Messages   []NewMessage   // in the order of acceptance
	Deliveries []NewRung
	Titles     map[string]string // of the new threads, by their IDs
	Acts       []Act
	Settings   map[string]string // of threads that got other ones, by their IDs
	Paused     bool              // the pause has begun, changed or ended
	Pause      *parley.Pause
}

// reread describes what followers read again of a noun.
type reread struct {
	about func(*followedEvent) bool                             // whether an event is about it
	read  func(q querier, about []followedEvent, n *News) error // reads how it is now
}

// isChange returns what selects the changes that only followers must know.
func isChange(what string) func(*followedEvent) bool {
	return func(e *followedEvent) bool { return e.Type == changedEvent && e.State == what }
}

// isOf returns what selects the events of some types.
func isOf(types ...parley.EventType) func(*followedEvent) bool {
	return func(e *followedEvent) bool { return slices.Contains(types, e.Type) }
}

// NewMessage is a message that another host has accepted. Only a thread's post has its text.
type NewMessage struct {
	parley.Message
	RepliedChain  string // of the message that it replies to
	RepliedSender string
	Deliveries    []NewRung
	Concerns      []string // the recipients of the message to which it is a formal response
}

// NewRung is a delivery that another host has made or moved on.
type NewRung struct {
	Key
	State    parley.DeliveryState
	Code     parley.ReasonCode
	Withheld string
	AtOnce   bool // it was read in the moment in which it was stored
}

// Follower takes the news. The writing goroutine calls it, so it must neither write nor wait.
type Follower func(*News)

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

// changedEvent is the event of a change that is not shown to people, but that followers must know. Its
// state says what has changed.
const changedEvent parley.EventType = "changed"

const (
	changedAgent    = "agent"
	changedActs     = "acts"     // the detail is the act, in JSON
	changedSettings = "settings" // the detail is the ID of the thread
)

// tell lets other hosts know of a change, if there can be others.
func tell(t *tx, what, agentID, detail string) {
	if t.Next.Event > 0 {
		emit(t, eventRow{Type: changedEvent, AgentID: agentID, State: what, Detail: detail})
	}
}

// newsAtOnce is how many events are taken at once.
const newsAtOnce = 1000

// followedEvent is an event as followers read it.
type followedEvent struct {
	Seq, MessageSeq                     int64
	Type                                parley.EventType
	RecipientID, AgentID, State, Detail string
	ReasonCode                          parley.ReasonCode
}

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

// recipients returns the agents whose deliveries have changed.
func (n *News) recipients() (ids []string) {
	for i := range n.Deliveries {
		ids = append(ids, n.Deliveries[i].RecipientID)
	}
	for i := range n.Messages {
		ids = append(ids, n.Messages[i].Concerns...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
