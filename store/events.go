package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
)

// EventQuery asks for a part of the record.
type EventQuery struct {
	After int64 // events with a higher number than this
	Limit int
	Last  int    // if not 0, instead of both: this many of the newest
	For   string // an agent's id: only what that agent may see; "" for all
}

// seen is what an agent may see: what it sent or received, what happened to
// itself, the states of others, and what happens in threads that it takes part in.
const seen = `(e.type = ? OR e.recipient_id = ? OR m.sender_id = ? OR e.agent_id = ? OR
	(e.recipient_id = '' AND e.message_seq > 0 AND EXISTS
		(SELECT 1 FROM deliveries d WHERE d.message_seq = e.message_seq AND d.recipient_id = ?)) OR
	(m.thread_id > '' AND e.recipient_id = '' AND EXISTS
		(SELECT 1 FROM participants p WHERE p.thread_id = m.thread_id AND p.agent_id = ? AND p.left_at = 0)))`

// foundEvent is an event, with what it says of others.
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
	AgentID        string
	Agent          string
	ThreadID       string
	Thread         string
	State          string
	Detail         string
}

// Events returns events by their number.
func (s *Store) Events(ctx context.Context, q EventQuery) ([]parley.Event, error) {
	where, args := ` WHERE e.seq > ?`, []any{parley.PreviewLength + 1, q.After}
	order, limit := ` ORDER BY e.seq LIMIT ?`, q.Limit
	if q.Last > 0 {
		args[1] = 0
		order, limit = ` ORDER BY e.seq DESC LIMIT ?`, q.Last
	}

	if q.For != "" {
		where += ` AND ` + seen
		args = append(args, string(parley.EventAgent), q.For, q.For, q.For, q.For, q.For)
	}

	var rows []foundEvent
	err := s.read(
		ctx,
		"reading events",
		&rows,
		`SELECT e.seq, e.type, e.at, e.recipient_id, e.recipient_count, e.agent_id,
			e.state, e.detail, m.id AS message_id, m.sender_id, m.priority, substr(m.text, 1, ?) AS text,
			m.kind, m.type AS message_type, m.requires_response AS requires, s.name AS sender, r.name AS recipient, a.name AS agent, m.thread_id, th.title AS thread
		FROM events e
		LEFT JOIN messages m ON m.seq = e.message_seq
		LEFT JOIN agents s ON s.id = m.sender_id
		LEFT JOIN agents r ON r.id = e.recipient_id
		LEFT JOIN threads th ON th.id = m.thread_id
		LEFT JOIN agents a ON a.id = e.agent_id`+where+order,
		append(args, limit)...)

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
	e := parley.Event{Seq: r.Seq, Type: r.Type, Time: instant(r.At), SenderID: r.SenderID, Sender: r.Sender,
		RecipientID: r.RecipientID, Recipient: r.Recipient, RecipientCount: r.RecipientCount, MessageID: r.MessageID,
		Priority: r.Priority, AgentID: r.AgentID, Agent: r.Agent, ThreadID: r.ThreadID, Thread: r.Thread, State: r.State, Detail: r.Detail}
	if r.Type.Announces() {
		e.Preview = parley.Truncate(r.Text, parley.PreviewLength)
		e.Kind, e.MessageType, e.RequiresResponse = r.Kind, r.MessageType, r.Requires
	}
	return e
}

// LogEntry is a row of the agent log.
type LogEntry struct {
	ID      int64           `json:"id"`
	AgentID string          `json:"agent_id"`
	LogType string          `json:"log_type"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
	Time    time.Time       `json:"timestamp"`
}

// AgentLog returns the newest rows of an agent's log, oldest first.
func (s *Store) AgentLog(ctx context.Context, agentID string, limit int) ([]LogEntry, error) {
	var rows []logRow
	err := s.read(ctx, "reading the agent log", &rows, `SELECT id, agent_id, log_type, message, details, at
		FROM agent_log WHERE agent_id = ? ORDER BY id DESC LIMIT ?`, agentID, limit)
	entries := make([]LogEntry, len(rows))
	for i, r := range slices.Backward(rows) {
		entries[len(rows)-1-i] = LogEntry{ID: r.ID, AgentID: r.AgentID, LogType: r.LogType, Message: r.Message,
			Details: json.RawMessage(r.Details), Time: instant(r.At)}
	}
	return entries, err
}
