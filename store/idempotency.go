package store

import (
	"context"

	"parley"
	"parley/store/engine"
)

// Idempotency finds what a caller made earlier with the same idempotency key.
type Idempotency struct{ db *database }

// Call is a call that makes a thread or a file, and must not make it twice.
type Call struct {
	AgentID   string // the caller
	Key       string // its idempotency key; "" makes every call a new one
	Asked     string // a hash of the request
	Made      string // the ID of the thread or file
	MessageID string // of a thread's first post; "" for none
}

var callsTable = engine.Table[Call]{
	Name: "calls",
	Key:  []string{"agent_id", "idempotency_key"},
	Columns: engine.Columns[Call]{
		{"agent_id", func(c *Call) any { return c.AgentID }},
		{"idempotency_key", func(c *Call) any { return c.Key }},
		{"asked", func(c *Call) any { return c.Asked }},
		{"made", func(c *Call) any { return c.Made }},
		{"message_id", func(c *Call) any { return c.MessageID }},
	},
}

// Called returns an earlier call of the same agent with the same key, and whether there is
// one. INVALID_ARGUMENT when its request was a different one.
func (s *Idempotency) Called(ctx context.Context, c Call) (Call, bool, error) {
	earlier, found, err := findCall(s.db.reading(ctx), c)
	if err != nil && !refused(err) {
		err = s.db.fail("reading earlier calls", err)
	}
	return earlier, found, err
}

// findCall looks among the calls and the messages.
func findCall(db querier, c Call) (earlier Call, found bool, err error) {
	if c.Key == "" {
		return c, false, nil
	}

	var rows []struct{ Asked, Made, MessageID string }
	err = db.Query(&rows, `SELECT asked, made, message_id FROM calls WHERE agent_id = ? AND idempotency_key = ?
		UNION ALL SELECT '', id, id FROM messages
			WHERE sender_id = ? AND idempotency_key = ? AND idempotency_key <> ''`,
		c.AgentID, c.Key, c.AgentID, c.Key)
	if err != nil || len(rows) == 0 {
		return c, false, err
	}

	earlier = c
	earlier.Made, earlier.MessageID = rows[0].Made, rows[0].MessageID
	if rows[0].Asked != c.Asked {
		return earlier, true, usedKey(earlier.Made)
	}

	return earlier, true, nil
}

// usedKey is the error for a key with which the caller has made something else.
func usedKey(made string) *parley.Error {
	return parley.Errorf(parley.InvalidArgument,
		"the idempotency key was used before, for a call that asked for something else: nothing was done").
		With("parameter", "idempotency_key").
		With("made", made).
		Suggest("Use another key for each call; the same key only repeats the same call.")
}

// recordCall returns an earlier call with the same key if there is one, and otherwise
// stores this one.
func recordCall(t *tx, c Call) (earlier Call, found bool, err error) {
	earlier, found, err = findCall(t, c)
	if found || err != nil || c.Key == "" {
		return earlier, found, err
	}

	err = callsTable.Insert(t, c)
	if engine.Dangling(err) {
		err = noAgent(c.AgentID)
	}

	return c, false, err
}

// Repeated returns the message that a sender stored with an idempotency key, and whether
// there is one.
func (s *Idempotency) Repeated(ctx context.Context, senderID, key string) (Appended, bool, error) {
	var out Appended
	found, err := findRepeated(s.db.reading(ctx), senderID, key, &out)
	if err != nil {
		return Appended{}, false, s.db.fail("reading earlier messages", err)
	}
	return out, found, nil
}

// findSent is findRepeated for a message that is about to be stored. INVALID_ARGUMENT when its sender has made
// a thread or a file with the key.
func (p posting) findSent() (bool, error) {
	senderID, key := p.Message.SenderID, p.IdempotencyKey
	if key == "" {
		return false, nil
	}
	found, err := findRepeated(p.tx, senderID, key, p.out)
	if found || err != nil {
		return found, err
	}

	var made []string
	err = p.tx.Query(&made, `SELECT made FROM calls WHERE agent_id = ? AND idempotency_key = ?`, senderID, key)
	if err == nil && len(made) > 0 {
		err = usedKey(made[0])
	}
	return false, err
}

// findRepeated sets out to the message that the sender stored with this key, and reports
// whether there is one.
func findRepeated(db querier, senderID, key string, out *Appended) (bool, error) {
	var rows []messageRow
	err := db.Query(&rows, `SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.sender_id = ? AND m.idempotency_key = ? AND m.idempotency_key <> ''`, senderID, key)
	if err != nil || len(rows) == 0 {
		return false, err
	}

	out.Repeated = true
	out.Message, out.Deliveries, err = withDeliveries(db, &rows[0])

	return true, err
}
