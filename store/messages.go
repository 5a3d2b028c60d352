package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// Messages stores messages and finds them again.
type Messages struct{ db *database }

// Message returns a message with all its deliveries and their steps. ref is its ID, or
// the first eight or more characters of it. MESSAGE_NOT_FOUND when no message, or more
// than one, begins with ref.
func (s *Messages) Message(ctx context.Context, ref string) (m parley.Message, ds []parley.Delivery, err error) {
	if len(ref) < parley.ShortID {
		return m, nil, noMessage(ref)
	}

	from, to := idRange(ref)
	var rows []messageRow
	err = s.db.read(ctx, "reading the message", &rows, `SELECT `+messageColumns+` FROM messages m
		JOIN agents s ON s.id = m.sender_id WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`, from, to)
	if err != nil {
		return m, nil, err
	}

	row, err := only(rows, ref)
	if err != nil {
		return m, nil, err
	}

	m, ds, err = withDeliveries(s.db.reading(ctx), &row)
	if err != nil {
		return parley.Message{}, nil, s.db.fail("reading the message", err)
	}

	return m, ds, nil
}

// seqOf returns the number of the one message that ref names, among those that from
// selects. from must end in a condition on messages m. MESSAGE_NOT_FOUND.
func (db *database) seqOf(ctx context.Context, doing, ref, from string, args ...any) (int64, error) {
	if len(ref) < parley.ShortID {
		return 0, noMessage(ref)
	}

	first, after := idRange(ref)
	var found []int64
	err := db.read(ctx, doing, &found, `SELECT m.seq`+from+` AND m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`,
		append(slices.Clone(args), first, after)...)
	if err != nil {
		return 0, err
	}

	return only(found, ref)
}

// only returns the one element of what was found for ref. MESSAGE_NOT_FOUND when there is
// none, or more than one.
func only[T any](found []T, ref string) (T, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return *new(T), noMessage(ref)
	}

	return *new(T), parley.Errorf(parley.MessageNotFound,
		"more than one message begins with %q", plain.CleanLine(ref)).
		Suggest("Give more characters of the ID.")
}

func withDeliveries(db querier, r *messageRow) (parley.Message, []parley.Delivery, error) {
	var rows []deliveryRow
	err := db.Query(&rows, `SELECT `+deliveryColumns+` FROM deliveries d JOIN messages m ON m.seq = d.message_seq
		JOIN agents r ON r.id = d.recipient_id WHERE d.message_seq = ? ORDER BY lower(r.name)`, r.Seq)

	m, deliveries := r.message(), make([]parley.Delivery, len(rows))
	m.Recipients = make([]string, len(rows))
	for i := range rows {
		deliveries[i] = rows[i].delivery()
		m.Recipients[i] = rows[i].RecipientID
	}

	return m, deliveries, err
}

// idRange returns the bounds of the IDs that begin with a prefix, so that an index finds
// them: IDs consist of hexadecimal digits and dashes, which all sort before g.
func idRange(prefix string) (from, to string) {
	prefix = strings.ToLower(prefix)
	return prefix, prefix + "g"
}

// messageColumns select a messageRow from messages m and the sender s.
const messageColumns = `m.seq, m.id, m.kind, m.type, m.priority, m.sender_id, s.name AS sender, s.role AS sender_role,
	m.text, m.data, m.context_reference, m.in_reply_to, m.accepted_at,
	m.thread_id, m.attachments, m.requires_response, m.response_deadline, m.response_status, m.chain_id, m.hop,
	m.schedule_id, m.due_at`

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
	Planned          plannedRow `gorm:"embedded"`
}

// plannedRow are the columns of a planned message.
type plannedRow struct {
	ScheduleID string
	DueAt      int64
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

	if p := r.Planned; p.ScheduleID != "" {
		due := instant(p.DueAt)
		m.Schedule = &parley.ScheduledFor{ScheduleID: p.ScheduleID, Due: due, Late: parley.IsLate(due, m.Timestamp)}
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
		{"schedule_id", func(r *newMessageRow) any { return r.schedule().ScheduleID }},
		{"due_at", func(r *newMessageRow) any { return nanos(r.schedule().Due) }},
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

type newMessageRow struct {
	*parley.Message
	seq int64
	key string
}

// schedule returns the place of the message on its schedule, the zero value for none.
func (r *newMessageRow) schedule() parley.ScheduledFor {
	if r.Schedule == nil {
		return parley.ScheduledFor{}
	}
	return *r.Schedule
}

// deadline returns when a message must be answered, as it is stored.
func deadline(m *parley.Message) int64 {
	if m.ResponseDeadline == nil {
		return 0
	}
	return nanos(*m.ResponseDeadline)
}
