package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"parley/store/engine"
)

// Conversations keeps what the conversation protocol must remember.
type Conversations struct{ db *database }

// Act is an action of the operator on a conversation, of a thread or of two agents.
type Act struct {
	At         time.Time `gorm:"-"`
	Action     string
	ThreadID   string // "" for two agents
	One, Other string // their IDs; "" for a thread
	ChainID    string // of the turn that was released
	Hop        int
}

// ActSettled is the action of an act of no operator: the message at ChainID and Hop settled a request of One
// to Other, or Other ignored it. It is not stored: the deliveries and the debts tell it.
const ActSettled = "settled"

// settle tells that a message settled a request of one agent to another.
func settle(t *tx, one, other, chainID string, hop int) (*Act, error) {
	a := &Act{At: t.Now, Action: ActSettled, One: one, Other: other, ChainID: chainID, Hop: hop}
	return a, tellAct(t, a)
}

type actRow struct {
	Act   `gorm:"embedded"`
	Nanos int64
}

var actsTable = engine.Table[Act]{
	Name:    "conversation_acts",
	Key:     []string{"seq"},
	Counter: "seq",
	Columns: engine.Columns[Act]{
		{"at", func(a *Act) any { return nanos(a.At) }},
		{"action", func(a *Act) any { return a.Action }},
		{"thread_id", func(a *Act) any { return a.ThreadID }},
		{"one", func(a *Act) any { return a.One }},
		{"other", func(a *Act) any { return a.Other }},
		{"chain_id", func(a *Act) any { return a.ChainID }},
		{"hop", func(a *Act) any { return a.Hop }},
	},
}

// AddAct stores an act. It replaces those of the actions in instead on the same
// conversation, and deletes acts before a time, except mutes, which last.
func (s *Conversations) AddAct(ctx context.Context, a Act, instead []string, before time.Time) error {
	return s.db.write(ctx, "storing an act on a conversation", func(t *tx) error {
		if len(instead) > 0 {
			if _, err := t.Exec(`DELETE FROM conversation_acts
				WHERE action IN ? AND thread_id = ? AND one = ? AND other = ?`,
				instead, a.ThreadID, a.One, a.Other); err != nil {
				return err
			}
		}

		if _, err := t.Exec(`DELETE FROM conversation_acts WHERE at < ? AND action NOT IN ('mute', 'unmute')`,
			nanos(before)); err != nil {
			return err
		}

		if err := tellAct(t, &a); err != nil {
			return err
		}

		return actsTable.Insert(t, a)
	})
}

// tellAct lets other hosts know of an act.
func tellAct(t *tx, a *Act) error {
	text, err := json.Marshal(a)
	if err == nil {
		tell(t, changedActs, "", string(text))
	}
	return err
}

// Acts returns the acts on conversations, the oldest first.
func (s *Conversations) Acts(ctx context.Context) ([]Act, error) {
	var rows []actRow
	err := s.db.read(ctx, "reading the acts on conversations", &rows,
		`SELECT at AS nanos, action, thread_id, one, other, chain_id, hop FROM conversation_acts ORDER BY seq`)

	acts := make([]Act, len(rows))
	for i := range rows {
		acts[i] = rows[i].Act
		acts[i].At = instant(rows[i].Nanos)
	}

	return acts, err
}

// ThreadSettings returns a thread's own settings, as JSON; "" when it has none.
func (s *Conversations) ThreadSettings(ctx context.Context, threadID string) (settings string, err error) {
	err = s.db.read(ctx, "reading the settings of the thread", &settings,
		`SELECT conversation FROM threads WHERE id = ?`, threadID)
	return settings, err
}

// SetThreadSettings stores a thread's own settings; "" for none.
func (s *Conversations) SetThreadSettings(ctx context.Context, threadID, settings string) error {
	return s.db.write(ctx, "storing the settings of the thread", func(t *tx) error {
		tell(t, changedSettings, "", threadID)
		_, err := t.Exec(`UPDATE threads SET conversation = ? WHERE id = ?`, settings, threadID)
		return err
	})
}

// drawFact is the name of the fact that holds the key of the draws.
const drawFact = "conversation_draw"

// DrawKey returns the key from which the conversation protocol derives its random draws.
// A workspace gets one at the first call.
func (s *Conversations) DrawKey(ctx context.Context) ([]byte, error) {
	var values []string
	err := s.db.read(ctx, "reading the key of the draws", &values, `SELECT value FROM facts WHERE name = ?`, drawFact)
	if err != nil {
		return nil, err
	}

	if len(values) == 0 {
		fresh := []byte(rand.Text())
		err := s.db.write(ctx, "storing the key of the draws", func(t *tx) error {
			_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)`, drawFact, hex.EncodeToString(fresh))
			return err
		})

		return fresh, err
	}

	key, err := hex.DecodeString(values[0])
	if err != nil {
		return nil, fmt.Errorf("read the key of the draws: %w", err)
	}

	return key, nil
}

// TurnRow is one delivery of a message, as the conversation protocol counts it.
type TurnRow struct {
	MessageID   string
	ChainID     string
	Hop         int
	SenderID    string
	RecipientID string
	ThreadID    string
	AcceptedAt  int64
	Replied     string // the chain of the answered message; "" for none
	Settled     bool   // it answered a request for good, or was ignored
}

// At returns when the message was accepted.
func (r *TurnRow) At() time.Time { return instant(r.AcceptedAt) }

// Turns returns the deliveries of the latest messages in the order of acceptance. It
// leaves out withheld and failed ones, parley's own messages, and those that began no
// turn: they were read in the moment in which they were stored.
func (s *Conversations) Turns(ctx context.Context, since time.Time, limit int) ([]TurnRow, error) {
	var rows []TurnRow
	err := s.db.read(ctx, "reading the last turns", &rows, `SELECT * FROM (
		SELECT m.seq, m.id AS message_id, m.chain_id, m.hop, m.sender_id, d.recipient_id, m.thread_id, m.accepted_at,
			coalesce(a.chain_id, '') AS replied, (d.archived = 1 OR b.debtor_id IS NOT NULL) AS settled
		FROM messages m CROSS JOIN deliveries d JOIN agents s ON d.message_seq = m.seq AND s.id = m.sender_id
		LEFT JOIN messages a ON a.id = m.in_reply_to AND m.in_reply_to <> ''
		LEFT JOIN debts b ON b.message_seq = a.seq AND b.debtor_id = m.sender_id AND b.answered_by = m.id
			AND b.state IN ('completed', 'unable')
		WHERE m.seq > (SELECT coalesce(max(seq), 0) FROM messages) - ? AND m.accepted_at > ?
			AND m.chain_id <> '' AND d.withheld = '' AND d.state <> 'failed'
			AND (d.read_at IS NULL OR d.read_at > d.queued_at) AND s.kind <> 'system'
		ORDER BY m.seq DESC LIMIT ?) t ORDER BY t.seq`, limit, nanos(since), limit)
	return rows, err
}
