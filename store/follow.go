package store

import (
	"encoding/json"
	"slices"

	"parley"
	"parley/store/engine"
)

// Follow calls f with what other hosts write from now on, each time before this daemon decides anything
// that it writes. It tells what was written since the store was opened, too. A file has no other hosts.
func (db *Hosts) Follow(f Follower) {
	db.db.base.Session.Follow(func(q querier, after, last int64) (int64, error) {
		n, to, err := readNews(q, nouns, after, last)
		if err == nil {
			touched := n.recipients()
			db.db.inboxes.invalidate(touched, touched)
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

// followedMessages reads the messages that others have accepted.
var followedMessages = reread{
	about: isOf(parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage,
		parley.EventThreadCreated, parley.EventThreadUpdated),
	read: readNewMessages,
}

func readNewMessages(q querier, about []followedEvent, n *News) error {
	wanted := make([]int64, len(about))
	for i := range about {
		wanted[i] = about[i].MessageSeq
	}

	var rows []struct {
		ID, Kind, SenderID, Text, ThreadID, Title, ChainID, RepliedChain, RepliedSender, ResponseStatus string
		Seq, AcceptedAt, Replied                                                                        int64
		Hop                                                                                             int
		RequiresResponse                                                                                bool
	}
	if err := q.Query(&rows, `SELECT m.seq, m.id, m.kind, m.sender_id,
			CASE WHEN m.kind = 'thread' THEN m.text ELSE '' END AS text,
			m.thread_id, coalesce(t.title, '') AS title, m.chain_id, m.hop, m.accepted_at, m.response_status,
			m.requires_response, coalesce(a.seq, 0) AS replied, coalesce(a.chain_id, '') AS replied_chain,
			coalesce(a.sender_id, '') AS replied_sender
		FROM messages m LEFT JOIN messages a ON a.id = m.in_reply_to AND m.in_reply_to <> ''
		LEFT JOIN threads t ON t.id = m.thread_id AND m.thread_id <> ''
		WHERE m.seq IN ? ORDER BY m.seq`, wanted); err != nil {
		return err
	}

	for i := range rows {
		if rows[i].ResponseStatus != "" {
			wanted = append(wanted, rows[i].Replied)
		}
	}
	rungs, err := rungsOf(q, wanted)
	if err != nil {
		return err
	}

	for i := range rows {
		m := &rows[i]
		if m.ThreadID != "" {
			n.Titles[m.ThreadID] = m.Title
		}

		next := NewMessage{
			Message: parley.Message{ID: m.ID, Kind: parley.MessageKind(m.Kind), SenderID: m.SenderID, Text: m.Text,
				ThreadID: m.ThreadID, ChainID: m.ChainID, Hop: m.Hop, Timestamp: instant(m.AcceptedAt),
				RequiresResponse: m.RequiresResponse},
			RepliedChain: m.RepliedChain, RepliedSender: m.RepliedSender, Deliveries: rungs[m.Seq],
		}
		if m.ResponseStatus != "" {
			for _, rung := range rungs[m.Replied] {
				next.Concerns = append(next.Concerns, rung.RecipientID)
			}
		}
		n.Messages = append(n.Messages, next)
	}

	return nil
}

// followedAgents reads agents again, with the models that answer for them and their keys.
var followedAgents = reread{
	about: func(e *followedEvent) bool { return e.Type == parley.EventAgent || isChange(changedAgent)(e) },
	read: func(q querier, about []followedEvent, n *News) error {
		ids := make([]string, len(about))
		for i := range about {
			ids[i] = about[i].AgentID
		}

		var rows []agentRow
		if err := q.Query(&rows, `SELECT * FROM agents WHERE id IN ?`, ids); err != nil {
			return err
		}
		answering, err := respondersOf(q, ` WHERE agent_id IN ?`, ids)
		if err != nil {
			return err
		}
		for i := range rows {
			n.Agents = append(n.Agents, rows[i].answeredBy(answering[rows[i].ID]))
		}

		n.Keys, err = keysOf(q, ids)
		return err
	},
}

// followedDeliveries tells the rungs that deliveries have reached.
var followedDeliveries = reread{
	about: isOf(parley.EventDelivery),
	read: func(_ querier, about []followedEvent, n *News) error {
		for _, e := range about {
			n.Deliveries = append(n.Deliveries, NewRung{
				Key: Key{e.MessageSeq, e.RecipientID}, State: parley.DeliveryState(e.State), Code: e.ReasonCode,
			})
		}
		return nil
	},
}

// rungsOf returns the deliveries of messages, by their numbers.
func rungsOf(q querier, messages []int64) (map[int64][]NewRung, error) {
	var rows []struct {
		MessageSeq                   int64
		RecipientID, State, Withheld string
		ReasonCode                   parley.ReasonCode
		AtOnce                       bool
	}
	err := q.Query(&rows, `SELECT message_seq, recipient_id, state, reason_code, withheld,
			coalesce(read_at <= queued_at, false) AS at_once FROM deliveries
		WHERE message_seq IN ? ORDER BY message_seq, recipient_id`, messages)

	byMessage := map[int64][]NewRung{}
	for i := range rows {
		d := &rows[i]
		byMessage[d.MessageSeq] = append(byMessage[d.MessageSeq], NewRung{
			Key: Key{d.MessageSeq, d.RecipientID}, State: parley.DeliveryState(d.State), Code: d.ReasonCode,
			Withheld: d.Withheld, AtOnce: d.AtOnce,
		})
	}

	return byMessage, err
}

// followedActs tells the acts of others, which are in the events.
var followedActs = reread{about: isChange(changedActs), read: func(_ querier, about []followedEvent, n *News) error {
	for _, e := range about {
		var a Act
		if err := json.Unmarshal([]byte(e.Detail), &a); err != nil {
			return err
		}
		n.Acts = append(n.Acts, a)
	}
	return nil
},
}

// followedSettings reads the settings of threads again.
var followedSettings = reread{
	about: isChange(changedSettings),
	read: func(q querier, about []followedEvent, n *News) error {
		ids := make([]string, len(about))
		for i := range about {
			ids[i] = about[i].Detail
		}
		var rows []struct{ ID, Conversation string }
		err := q.Query(&rows, `SELECT id, conversation FROM threads WHERE id IN ?`, ids)
		for _, row := range rows {
			n.Settings[row.ID] = row.Conversation
		}
		return err
	},
}

// followedPause reads the pause again.
var followedPause = reread{
	about: isOf(parley.EventCommunication),
	read: func(q querier, _ []followedEvent, n *News) error {
		n.Paused = true
		var values []string
		err := q.Query(&values, `SELECT value FROM facts WHERE name = ?`, pauseFact)
		if err == nil {
			n.Pause, err = parsePause(values)
		}
		return err
	},
}

// followedSchedules says that schedules have changed; whoever sends their messages reads them again.
var followedSchedules = reread{about: isChange(changedPlans), read: func(_ querier, _ []followedEvent, n *News) error {
	n.Schedules = true
	return nil
}}

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
	Schedules  bool // some were made or changed
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
