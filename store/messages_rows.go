package store

import (
	"encoding/json"

	"parley"
	"parley/store/engine"
)

// messageColumns select a messageRow from messages m and the sender s.
const messageColumns = `m.seq, m.id, m.kind, m.type, m.priority, m.sender_id, s.name AS sender, s.role AS sender_role,
	m.text, m.data, m.context_reference, m.in_reply_to, m.accepted_at,
	m.thread_id, m.attachments, m.requires_response, m.response_deadline, m.response_status, m.chain_id, m.hop`

// messageRow is a row of messages and its sender's name and role.
type messageRow struct {
	Seq              int64
	ID               string
	Kind             string
	Type             string
	Priority         string
	SenderID         string
	Sender           string
	SenderRole       string
	Text             string
	Data             string
	ContextReference string
	InReplyTo        string
	AcceptedAt       int64
	ThreadID         string
	Attachments      string
	RequiresResponse bool
	ResponseDeadline int64
	ResponseStatus   string
	ChainID          string
	Hop              int
}

func (r *messageRow) message() parley.Message {
	m := parley.Message{
		ID:               r.ID,
		Kind:             parley.MessageKind(r.Kind),
		Type:             parley.MessageType(r.Type),
		Priority:         parley.Priority(r.Priority),
		SenderID:         r.SenderID,
		Sender:           r.Sender,
		SenderRole:       r.SenderRole,
		Text:             r.Text,
		ContextReference: r.ContextReference,
		InReplyTo:        r.InReplyTo,
		Timestamp:        instant(r.AcceptedAt),
		ThreadID:         r.ThreadID,
		Attachments:      parseAttachments(r.Attachments),
		RequiresResponse: r.RequiresResponse,
		ResponseDeadline: instantOrNil(r.ResponseDeadline),
		ResponseStatus:   parley.ResponseStatus(r.ResponseStatus),
		ChainID:          r.ChainID,
		Hop:              r.Hop,
	}

	if r.Data != "" {
		m.Data = json.RawMessage(r.Data)
	}

	return m
}

// oldestFirst returns the messages of rows that were read newest first.
func oldestFirst(rows []messageRow) []parley.Message {
	list := make([]parley.Message, len(rows))
	for i := range rows {
		list[len(rows)-1-i] = rows[i].message()
	}
	return list
}

// formatAttachments encodes a message's attachments as a JSON list, "" for none.
func formatAttachments(list []json.RawMessage) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil { // they were decoded before
		return ""
	}
	return string(b)
}

// parseAttachments is the inverse of formatAttachments.
func parseAttachments(text string) []json.RawMessage {
	var list []json.RawMessage
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

var messagesTable = engine.Table[newMessageRow]{
	Name:  "messages",
	Key:   []string{"seq"},
	Grows: true,
	Columns: engine.Columns[newMessageRow]{
		{"seq", func(r *newMessageRow) any { return r.seq }},
		{"id", func(r *newMessageRow) any { return r.ID }},
		{"kind", func(r *newMessageRow) any { return string(r.Kind) }},
		{"type", func(r *newMessageRow) any { return string(r.Type) }},
		{"priority", func(r *newMessageRow) any { return string(r.Priority) }},
		{"sender_id", func(r *newMessageRow) any { return r.SenderID }},
		{"text", func(r *newMessageRow) any { return r.Text }},
		{"data", func(r *newMessageRow) any { return string(r.Data) }},
		{"context_reference", func(r *newMessageRow) any { return r.ContextReference }},
		{"in_reply_to", func(r *newMessageRow) any { return r.InReplyTo }},
		{"idempotency_key", func(r *newMessageRow) any { return r.key }},
		{"accepted_at", func(r *newMessageRow) any { return nanos(r.Timestamp) }},
		{"thread_id", func(r *newMessageRow) any { return r.ThreadID }},
		{"attachments", func(r *newMessageRow) any { return formatAttachments(r.Attachments) }},
		{"requires_response", func(r *newMessageRow) any { return r.RequiresResponse }},
		{"response_deadline", func(r *newMessageRow) any { return deadline(r.Message) }},
		{"response_status", func(r *newMessageRow) any { return string(r.ResponseStatus) }},
		{"chain_id", func(r *newMessageRow) any { return r.ChainID }},
		{"hop", func(r *newMessageRow) any { return r.Hop }},
	},
	Refused: func(err error, rows []newMessageRow) error {
		switch {
		case engine.Dangling(err):
			return noAgent(rows[0].SenderID)
		case engine.Duplicate(err):
			return parley.Errorf(parley.InvalidArgument, "a message with the ID %s already exists", rows[0].ID).
				Suggest("Give each message a different ID.")
		}
		return err
	},
}

// newMessageRow is a row of messages to be inserted.
type newMessageRow struct {
	*parley.Message
	seq int64
	key string
}

// deadline returns when a message must be answered, as it is stored.
func deadline(m *parley.Message) int64 {
	if m.ResponseDeadline == nil {
		return 0
	}
	return nanos(*m.ResponseDeadline)
}
