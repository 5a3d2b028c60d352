package store

import (
	"context"

	"gorm.io/gorm"

	"parley"
)

// Idempotency finds what a caller made before with the same idempotency key.
type Idempotency struct{ *database }

// Call is one that makes something else than a message, and is not to make it twice.
type Call struct {
	AgentID   string // who calls
	Key       string // its idempotency key; "" when every call is a new one
	Asked     string // a hash of what it asks for
	Made      string // the id of what it makes
	MessageID string // of the first post, of a thread; or ""
}

var newCallColumns = columns[Call]{
	{"agent_id", func(c *Call) any { return c.AgentID }},
	{"idempotency_key", func(c *Call) any { return c.Key }},
	{"asked", func(c *Call) any { return c.Asked }},
	{"made", func(c *Call) any { return c.Made }},
	{"message_id", func(c *Call) any { return c.MessageID }},
}

// Called returns the call that an agent made before with the same key, and whether
// there is one. INVALID_ARGUMENT when that asked for something else.
func (s *Idempotency) Called(ctx context.Context, c Call) (Call, bool, error) {
	was, found, err := calledBefore(s.reader.WithContext(ctx), c)
	if err != nil && !refused(err) {
		err = s.fail("reading what was asked for", err)
	}
	return was, found, err
}

func calledBefore(db *gorm.DB, c Call) (was Call, found bool, err error) {
	if c.Key == "" {
		return c, false, nil
	}

	var rows []struct{ Asked, Made, MessageID string }
	err = db.Raw(`SELECT asked, made, message_id FROM calls WHERE agent_id = ? AND idempotency_key = ?
		UNION ALL SELECT '', id, id FROM messages WHERE sender_id = ? AND idempotency_key = ? AND idempotency_key <> ''`,
		c.AgentID, c.Key, c.AgentID, c.Key).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return c, false, err
	}

	was = c
	was.Made, was.MessageID = rows[0].Made, rows[0].MessageID
	if rows[0].Asked != c.Asked {
		return was, true, parley.Errorf(parley.InvalidArgument, "the idempotency key was used before, for a call that asked for something else: nothing was done").
			With("parameter", "idempotency_key").
			With("made", was.Made).
			Suggest("Use another key for each call; the same key only repeats the same call.")
	}

	return was, true, nil
}

// call returns the call that was made before, if there is one, and else notes this one.
func recordCall(t *tx, c Call) (was Call, found bool, err error) {
	was, found, err = calledBefore(t.db, c)
	if found || err != nil || c.Key == "" {
		return was, found, err
	}
	err = insert(t, "calls", newCallColumns, c)
	if dangling(err) {
		err = noAgent(c.AgentID)
	}
	return c, false, err
}

// Repeated returns what a sender stored with an idempotency key, if it did.
func (s *Idempotency) Repeated(ctx context.Context, senderID, key string) (Appended, bool, error) {
	t := &tx{db: s.reader.WithContext(ctx)}
	var out Appended
	found, err := t.repeated(&Post{Message: parley.Message{SenderID: senderID}, IdempotencyKey: key}, &out)
	if err != nil {
		return Appended{}, false, s.fail("reading what was sent", err)
	}
	return out, found, nil
}

// repeated looks for the message that the sender stored with this key.
func (t *tx) repeated(p *Post, out *Appended) (bool, error) {
	var rows []messageRow
	err := t.query(&rows, `SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.sender_id = ? AND m.idempotency_key = ? AND m.idempotency_key <> ''`, p.Message.SenderID, p.IdempotencyKey)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	out.Repeated = true
	out.Message, out.Deliveries, err = whole(t.db, &rows[0])
	return true, err
}
