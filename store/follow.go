package store

import (
	"encoding/json"
	"errors"

	"gorm.io/gorm"

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
func (db *Hosts) Follow(f Follower) { db.session.follows(f) }

// changedEvent is the event of a change that is not shown to people, but that followers must know. Its
// state says what has changed.
const changedEvent parley.EventType = "changed"

const (
	changedAgent    = "agent"
	changedActs     = "acts"     // the detail is the act, in JSON
	changedSettings = "settings" // the detail is the ID of the thread
)

// tell lets other hosts know of a change, if there can be others.
func (t *tx) tell(what, agentID, detail string) {
	if t.nextEvent > 0 {
		t.emit(eventRow{Type: changedEvent, AgentID: agentID, State: what, Detail: detail})
	}
}

// tellAct lets other hosts know of an act.
func (t *tx) tellAct(a *Act) error {
	text, err := json.Marshal(a)
	if err == nil {
		t.tell(changedActs, "", string(text))
	}
	return err
}

// newsAtOnce is how many events are taken at once.
const newsAtOnce = 1000

// errBehind says that there is more to take before anything is written.
var errBehind = errors.New("others have written much")

// errGap says that events were removed that this daemon has not seen.
var errGap = errors.New("events are missing")

// followedEvent is an event as followers read it.
type followedEvent struct {
	Seq, MessageSeq                     int64
	Type                                parley.EventType
	RecipientID, AgentID, State, Detail string
	ReasonCode                          parley.ReasonCode
}

// readNews reads the events after a number, newsAtOnce at most, and what they are about. It returns the
// number of the last.
func readNews(db *gorm.DB, after, last int64) (*News, int64, error) {
	var events []followedEvent
	if err := db.Raw(`SELECT seq, message_seq, type, recipient_id, agent_id, state, detail, reason_code FROM events
		WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`, after, last, newsAtOnce).Scan(&events).Error; err != nil {
		return nil, after, err
	}

	n, r := &News{Titles: map[string]string{}, Settings: map[string]string{}}, newsReader{db: db}
	for i := range events {
		if after++; events[i].Seq != after {
			return nil, after, errGap
		}
		if err := r.note(n, &events[i]); err != nil {
			return nil, after, err
		}
	}
	if len(events) == 0 && after < last {
		return nil, after, errGap
	}

	return n, after, r.read(n)
}

// newsReader reads what events are about.
type newsReader struct {
	db       *gorm.DB
	agents   []string
	messages []int64
	threads  []string // with new settings
}

// note notes what an event is about.
func (r *newsReader) note(n *News, e *followedEvent) error {
	switch e.Type {
	case parley.EventAgent:
		r.agents = append(r.agents, e.AgentID)
	case parley.EventDelivery:
		n.Deliveries = append(n.Deliveries, NewRung{
			Key: Key{e.MessageSeq, e.RecipientID}, State: parley.DeliveryState(e.State), Code: e.ReasonCode,
		})
	case parley.EventDirectMessage, parley.EventBroadcast, parley.EventThreadMessage,
		parley.EventThreadCreated, parley.EventThreadUpdated:
		r.messages = append(r.messages, e.MessageSeq)
	case parley.EventCommunication:
		n.Paused = true
	case changedEvent:
		return r.noteChange(n, e)
	}
	return nil
}

func (r *newsReader) noteChange(n *News, e *followedEvent) error {
	switch e.State {
	case changedAgent:
		r.agents = append(r.agents, e.AgentID)
	case changedSettings:
		r.threads = append(r.threads, e.Detail)
	case changedActs:
		var a Act
		if err := json.Unmarshal([]byte(e.Detail), &a); err != nil {
			return err
		}
		n.Acts = append(n.Acts, a)
	}
	return nil
}

// read reads the rows.
func (r *newsReader) read(n *News) error {
	for _, read := range []func(*News) error{r.readAgents, r.readKeys, r.readMessages, r.readThreads, r.readPause} {
		if err := read(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *newsReader) readAgents(n *News) error {
	if len(r.agents) == 0 {
		return nil
	}

	var rows []agentRow
	if err := r.db.Where("id IN ?", r.agents).Find(&rows).Error; err != nil {
		return err
	}
	var answering []responderRow
	if err := r.db.Raw(`SELECT `+newResponderColumns.names()+` FROM responders WHERE agent_id IN ?`, r.agents).
		Scan(&answering).Error; err != nil {
		return err
	}

	byID := map[string]*parley.Responder{}
	for i := range answering {
		p, err := answering[i].responder()
		if err != nil {
			return err
		}
		byID[answering[i].AgentID] = p
	}
	for i := range rows {
		n.Agents = append(n.Agents, rows[i].answeredBy(byID[rows[i].ID]))
	}

	return nil
}

func (r *newsReader) readKeys(n *News) error {
	if len(r.agents) == 0 {
		return nil
	}
	var rows []keyRow
	err := r.db.Raw(`SELECT `+newKeyColumns.names()+` FROM agent_keys WHERE agent_id IN ?`, r.agents).Scan(&rows).Error
	for i := range rows {
		n.Keys = append(n.Keys, rows[i].key())
	}
	return err
}

func (r *newsReader) readMessages(n *News) error {
	if len(r.messages) == 0 {
		return nil
	}

	var rows []struct {
		ID, Kind, SenderID, Text, ThreadID, Title, ChainID, RepliedChain, RepliedSender, ResponseStatus string
		Seq, AcceptedAt, Replied                                                                        int64
		Hop                                                                                             int
		RequiresResponse                                                                                bool
	}
	if err := r.db.Raw(`SELECT m.seq, m.id, m.kind, m.sender_id,
			CASE WHEN m.kind = 'thread' THEN m.text ELSE '' END AS text,
			m.thread_id, coalesce(t.title, '') AS title, m.chain_id, m.hop, m.accepted_at, m.response_status,
			m.requires_response, coalesce(a.seq, 0) AS replied, coalesce(a.chain_id, '') AS replied_chain,
			coalesce(a.sender_id, '') AS replied_sender
		FROM messages m LEFT JOIN messages a ON a.id = m.in_reply_to AND m.in_reply_to <> ''
		LEFT JOIN threads t ON t.id = m.thread_id AND m.thread_id <> ''
		WHERE m.seq IN ? ORDER BY m.seq`, r.messages).Scan(&rows).Error; err != nil {
		return err
	}

	wanted := r.messages
	for i := range rows {
		if rows[i].ResponseStatus != "" {
			wanted = append(wanted, rows[i].Replied)
		}
	}
	rungs, err := r.rungs(wanted)
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

// rungs returns the deliveries of messages, by their numbers.
func (r *newsReader) rungs(messages []int64) (map[int64][]NewRung, error) {
	var rows []struct {
		MessageSeq                   int64
		RecipientID, State, Withheld string
		ReasonCode                   parley.ReasonCode
		AtOnce                       bool
	}
	err := r.db.Raw(`SELECT message_seq, recipient_id, state, reason_code, withheld,
			coalesce(read_at <= queued_at, false) AS at_once FROM deliveries
		WHERE message_seq IN ? ORDER BY message_seq, recipient_id`, messages).Scan(&rows).Error

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

func (r *newsReader) readThreads(n *News) error {
	if len(r.threads) == 0 {
		return nil
	}
	var rows []struct{ ID, Conversation string }
	err := r.db.Raw(`SELECT id, conversation FROM threads WHERE id IN ?`, r.threads).Scan(&rows).Error
	for _, row := range rows {
		n.Settings[row.ID] = row.Conversation
	}
	return err
}

func (r *newsReader) readPause(n *News) error {
	if !n.Paused {
		return nil
	}
	var values []string
	err := r.db.Raw(`SELECT value FROM facts WHERE name = ?`, pauseFact).Scan(&values).Error
	if err == nil {
		n.Pause, err = parsePause(values)
	}
	return err
}

// recipients returns the agents whose deliveries have changed.
func (n *News) recipients() map[string]bool {
	all := map[string]bool{}
	for i := range n.Deliveries {
		all[n.Deliveries[i].RecipientID] = true
	}
	for i := range n.Messages {
		for _, id := range n.Messages[i].Concerns {
			all[id] = true
		}
	}
	return all
}
