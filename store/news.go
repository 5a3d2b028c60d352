package store

import (
	"slices"

	"parley"
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

// followedEvent is an event as followers read it.
type followedEvent struct {
	Seq, MessageSeq                     int64
	Type                                parley.EventType
	RecipientID, AgentID, State, Detail string
	ReasonCode                          parley.ReasonCode
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
