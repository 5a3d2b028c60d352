package store

import (
	"encoding/json"
	"time"

	"parley/store/engine"
)

// The types of agent log rows.
const (
	typeCommunication = "agent_communication"
	typeLifecycle     = "agent_lifecycle"
)

// logRow is a row of agent_log.
type logRow struct {
	AgentID string
	LogType string
	Message string
	Details string
	At      int64
}

var logTable = engine.Table[logRow]{
	Name:    "agent_log",
	Key:     []string{"id"},
	Counter: "id",
	Grows:   true,
	Columns: engine.Columns[logRow]{
		{"agent_id", func(l *logRow) any { return l.AgentID }},
		{"log_type", func(l *logRow) any { return l.LogType }},
		{"message", func(l *logRow) any { return l.Message }},
		{"details", func(l *logRow) any { return l.Details }},
		{"at", func(l *logRow) any { return l.At }},
	},
}

// log adds a row to an agent's log. details become JSON.
func (t agentsIn) log(agentID, logType, message string, details any) {
	b, err := json.Marshal(details)
	if err != nil { // a time beyond the year 9999
		b = []byte("{}")
	}
	logTable.Add(t.tx, logRow{agentID, logType, message, string(b), nanos(t.Now)})
}

// communication is the part of a delivery that the agent log keeps.
type communication struct {
	SenderID    string    `json:"sender_id"`
	RecipientID string    `json:"recipient_id"`
	Type        string    `json:"message_type"`
	Content     string    `json:"message_content"`
	Timestamp   time.Time `json:"timestamp"`
}

// logContent is how many characters of a message the agent log keeps.
const logContent = 200
