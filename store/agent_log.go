package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
)

// The types of agent log rows.
const (
	LogCommunication = "agent_communication"
	LogLifecycle     = "agent_lifecycle"
)

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

var newLogColumns = columns[logRow]{
	{"agent_id", func(l *logRow) any { return l.AgentID }},
	{"log_type", func(l *logRow) any { return l.LogType }},
	{"message", func(l *logRow) any { return l.Message }},
	{"details", func(l *logRow) any { return l.Details }},
	{"at", func(l *logRow) any { return l.At }},
}

// logRow is a row of agent_log.
type logRow struct {
	ID      int64
	AgentID string
	LogType string
	Message string
	Details string
	At      int64
}

// communication is what the agent log keeps of a delivery.
type communication struct {
	SenderID    string    `json:"sender_id"`
	RecipientID string    `json:"recipient_id"`
	Type        string    `json:"message_type"`
	Content     string    `json:"message_content"`
	Timestamp   time.Time `json:"timestamp"`
}

// logContent is how many characters of a message the agent log keeps.
const logContent = 200

// logDeliveries adds a row of the agent log for each recipient.
func (t *tx) logDeliveries(p *Post, m *parley.Message) {
	summary := "Received " + string(m.Kind) + " message from agent " + parley.Short(m.SenderID)
	for i := range p.Deliveries {
		id := p.Deliveries[i].RecipientID
		details, err := json.Marshal(communication{SenderID: m.SenderID, RecipientID: id,
			Type: string(m.Type), Content: parley.Truncate(m.Text, logContent), Timestamp: m.Timestamp})
		if err != nil {
			details = []byte("{}")
		}
		t.note(logRow{AgentID: id, LogType: LogCommunication, Message: summary, Details: string(details)})
	}
}

func (t *tx) flushLogs() error {
	return insert(t, "agent_log", newLogColumns, t.logs...)
}
