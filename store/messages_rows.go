package store

import (
	"encoding/json"

	"parley"
)

// messageColumns are those of a messageRow, of messages m and its sender s.
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
	m := parley.Message{ID: r.ID, Kind: parley.MessageKind(r.Kind), Type: parley.MessageType(r.Type),
		Priority: parley.Priority(r.Priority), SenderID: r.SenderID, Sender: r.Sender, SenderRole: r.SenderRole,
		Text: r.Text, ContextReference: r.ContextReference, InReplyTo: r.InReplyTo, Timestamp: instant(r.AcceptedAt),
		ThreadID: r.ThreadID, Attachments: attachmentsFrom(r.Attachments), RequiresResponse: r.RequiresResponse,
		ResponseStatus: parley.ResponseStatus(r.ResponseStatus), ChainID: r.ChainID, Hop: r.Hop}
	if r.Data != "" {
		m.Data = json.RawMessage(r.Data)
	}
	m.ResponseDeadline = moment(r.ResponseDeadline)
	return m
}

// attachmentsText is how a message's attachments are stored: a JSON list, or
// empty for none.
func attachmentsText(list []json.RawMessage) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil { // they were decoded before
		return ""
	}
	return string(b)
}

func attachmentsFrom(text string) []json.RawMessage {
	var list []json.RawMessage
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

var newMessageColumns = columns[newMessageRow]{
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
	{"attachments", func(r *newMessageRow) any { return attachmentsText(r.Attachments) }},
	{"requires_response", func(r *newMessageRow) any { return r.RequiresResponse }},
	{"response_deadline", func(r *newMessageRow) any { return r.due() }},
	{"response_status", func(r *newMessageRow) any { return string(r.ResponseStatus) }},
	{"chain_id", func(r *newMessageRow) any { return r.ChainID }},
	{"hop", func(r *newMessageRow) any { return r.Hop }},
}

type newMessageRow struct {
	*parley.Message
	seq int64
	key string
}

func (r *newMessageRow) due() int64 {
	if r.ResponseDeadline == nil {
		return 0
	}
	return nanos(*r.ResponseDeadline)
}

func (t *tx) flushMessages() error {
	err := insert(t, "messages", newMessageColumns, t.messages...)
	switch {
	case dangling(err):
		return noAgent(t.messages[0].SenderID)
	case duplicate(err):
		return parley.Errorf(parley.InvalidArgument, "there is a message %s already", t.messages[0].ID).
			Suggest("Give each message an id of its own.")
	}
	return err
}
