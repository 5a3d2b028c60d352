package store

import (
	"context"
	"errors"
	"slices"

	"parley"
	"parley/store/engine"
)

// Events reads the numbered events.
type Events struct{ db *database }

// EventQuery asks for a range of events.
type EventQuery struct {
	After int64 // events with a higher number than this
	Limit int
	Last  int    // if not 0, this many of the newest, and not After and Limit
	For   string // the ID of an agent that may see the events; "" for all events
}

// isVisible selects the events that an agent may see: of messages that it sent or got, of
// itself, the states of others, and the events of its threads.
const isVisible = `(e.type = ? OR e.recipient_id = ? OR m.sender_id = ? OR e.agent_id = ? OR
	(e.recipient_id = '' AND e.message_seq > 0 AND EXISTS
		(SELECT 1 FROM deliveries d WHERE d.message_seq = e.message_seq AND d.recipient_id = ?)) OR
	(m.thread_id > '' AND e.recipient_id = '' AND EXISTS
		(SELECT 1 FROM participants p WHERE p.thread_id = m.thread_id AND p.agent_id = ? AND p.left_at = 0)))`

// foundEvent is an event with the agents, the message and the thread that it names.
type foundEvent struct {
	Seq            int64
	Type           parley.EventType
	At             int64
	SenderID       string
	Sender         string
	RecipientID    string
	Recipient      string
	RecipientCount int
	MessageID      string
	Text           string
	Priority       parley.Priority
	Kind           parley.MessageKind
	MessageType    parley.MessageType
	Requires       bool
	InReplyTo      string
	AgentID        string
	Agent          string
	ThreadID       string
	Thread         string
	State          string
	Detail         string
	ReasonCode     parley.ReasonCode
}

// List returns events in the order of their numbers.
func (s *Events) List(ctx context.Context, q EventQuery) ([]parley.Event, error) {
	where, args := ` WHERE e.seq > ? AND e.type <> '`+string(changedEvent)+`'`, []any{parley.PreviewLength, q.After}
	order, limit := ` ORDER BY e.seq LIMIT ?`, q.Limit
	if q.Last > 0 {
		args[1] = 0
		order, limit = ` ORDER BY e.seq DESC LIMIT ?`, q.Last
	}

	if q.For != "" {
		where += ` AND ` + isVisible
		args = append(args, string(parley.EventAgent), q.For, q.For, q.For, q.For, q.For)
	}

	var rows []foundEvent
	err := s.db.read(ctx, "reading events", &rows, `SELECT e.seq, e.type, e.at, e.recipient_id, e.recipient_count,
			e.agent_id, e.state, e.detail, e.reason_code, m.id AS message_id, m.sender_id, m.priority,
			substr(m.text, 1, ?) AS text, m.kind, m.type AS message_type, m.requires_response AS requires, m.in_reply_to,
			m.thread_id, th.title AS thread,
			s.name AS sender, r.name AS recipient, a.name AS agent
		FROM events e
		LEFT JOIN messages m ON m.seq = e.message_seq
		LEFT JOIN agents s ON s.id = m.sender_id
		LEFT JOIN agents r ON r.id = e.recipient_id
		LEFT JOIN threads th ON th.id = m.thread_id
		LEFT JOIN agents a ON a.id = e.agent_id`+where+order, append(args, limit)...)

	events := make([]parley.Event, len(rows))
	for i := range rows {
		events[i] = rows[i].event()
	}

	if q.Last > 0 {
		slices.Reverse(events)
	}

	return events, err
}

func (r *foundEvent) event() parley.Event {
	e := parley.Event{
		Seq:            r.Seq,
		Type:           r.Type,
		Time:           instant(r.At),
		SenderID:       r.SenderID,
		Sender:         r.Sender,
		RecipientID:    r.RecipientID,
		Recipient:      r.Recipient,
		RecipientCount: r.RecipientCount,
		MessageID:      r.MessageID,
		Priority:       r.Priority,
		AgentID:        r.AgentID,
		Agent:          r.Agent,
		ThreadID:       r.ThreadID,
		Thread:         r.Thread,
		State:          r.State,
		Detail:         r.Detail,
		ReasonCode:     r.ReasonCode,
	}

	if r.Type.Announces() {
		e.Preview = r.Text
		e.Kind, e.MessageType, e.RequiresResponse, e.InReplyTo = r.Kind, r.MessageType, r.Requires, r.InReplyTo
	}

	return e
}

// eventsTable has the numbered events.
var eventsTable = engine.Table[eventRow]{
	Name:  "events",
	Key:   []string{"seq"},
	Grows: true,
	Columns: engine.Columns[eventRow]{
		{"seq", func(e *eventRow) any { return e.seq }},
		{"type", func(e *eventRow) any { return string(e.Type) }},
		{"at", func(e *eventRow) any { return e.At }},
		{"message_seq", func(e *eventRow) any { return e.MessageSeq }},
		{"recipient_id", func(e *eventRow) any { return e.RecipientID }},
		{"recipient_count", func(e *eventRow) any { return e.RecipientCount }},
		{"agent_id", func(e *eventRow) any { return e.AgentID }},
		{"state", func(e *eventRow) any { return e.State }},
		{"detail", func(e *eventRow) any { return e.Detail }},
		{"reason_code", func(e *eventRow) any { return string(e.ReasonCode) }},
	},
	Number: func(e *eventRow, n int64) { e.seq = n },
}

func emit(t *tx, e eventRow) {
	e.At = nanos(t.Now)
	eventsTable.Add(t, e)
}

type eventRow struct {
	Type           parley.EventType
	At             int64
	MessageSeq     int64
	RecipientID    string
	RecipientCount int
	AgentID        string
	State          string
	Detail         string
	ReasonCode     parley.ReasonCode

	seq int64 // 0 if the database gives it
}

// changedEvent is the event of a change that is not shown to people, but that followers must know. Its
// state says what has changed.
const changedEvent parley.EventType = "changed"

const (
	changedAgent    = "agent"
	changedActs     = "acts"     // the detail is the act, in JSON
	changedSettings = "settings" // the detail is the ID of the thread
	changedPlans    = "schedules"
)

// tell lets other hosts know of a change, if there can be others.
func tell(t *tx, what, agentID, detail string) {
	if t.Next.Event > 0 {
		emit(t, eventRow{Type: changedEvent, AgentID: agentID, State: what, Detail: detail})
	}
}

// LastEvent returns the number of the newest event that this daemon has written or followed, 0 for none.
func (s *Events) LastEvent() int64 { return s.db.base.Events.Last() }

// Newest returns the number of the newest event in the record, whoever wrote it.
func (s *Events) Newest(ctx context.Context) (last int64, err error) {
	err = s.db.read(ctx, "reading the newest event", &last, s.db.base.SQL.LastEvent)
	return last, err
}

// Attend has what other hosts write taken at once, while somebody waits for it, until leave is called.
func (s *Events) Attend() (leave func()) { return s.db.base.Doorbell.Attend() }

// WaitEvent waits for an event with a higher number than after. It returns an error when
// ctx ends or the store is closed before.
func (s *Events) WaitEvent(ctx context.Context, after int64) error {
	defer s.Attend()()
	err := s.db.base.Events.Wait(ctx, after)
	if errors.Is(err, engine.ErrClosed) {
		return errClosed()
	}
	return err
}
