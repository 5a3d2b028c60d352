package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// Act is what the operator did to a conversation: that of a thread, or of two agents.
type Act struct {
	At         time.Time `gorm:"-"`
	Action     string
	ThreadID   string
	One, Other string
	ChainID    string // of the turn that was released
	Hop        int
}

type actRow struct {
	Act   `gorm:"embedded"`
	Nanos int64
}

const actColumns = `at, action, thread_id, one, other, chain_id, hop`

// AddAct keeps an act. A lasting one takes the place of those of the given actions on
// the same conversation; of the others those before a time are forgotten.
func (s *Store) AddAct(ctx context.Context, a Act, instead []string, before time.Time) error {
	return s.write(ctx, "storing what was done to a conversation", func(t *tx) error {
		if len(instead) > 0 {
			if _, err := t.exec(`DELETE FROM conversation_acts WHERE action IN ? AND thread_id = ? AND one = ? AND other = ?`,
				instead, a.ThreadID, a.One, a.Other); err != nil {
				return err
			}
		}

		if _, err := t.exec(`DELETE FROM conversation_acts WHERE at < ? AND action NOT IN ('mute', 'unmute')`, nanos(before)); err != nil {
			return err
		}

		_, err := t.exec(`INSERT INTO conversation_acts (`+actColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			nanos(a.At), a.Action, a.ThreadID, a.One, a.Other, a.ChainID, a.Hop)
		return err
	})
}

// Acts returns what was done to conversations, in its order.
func (s *Store) Acts(ctx context.Context) ([]Act, error) {
	var rows []actRow
	err := s.read(
		ctx,
		"reading what was done to conversations",
		&rows,
		`SELECT at AS nanos, action, thread_id, one, other, chain_id, hop
		FROM conversation_acts ORDER BY seq`,
	)

	acts := make([]Act, len(rows))
	for i := range rows {
		acts[i] = rows[i].Act
		acts[i].At = instant(rows[i].Nanos)
	}

	return acts, err
}

// ThreadSettings returns a thread's own settings, as JSON; "" when it has none.
func (s *Store) ThreadSettings(ctx context.Context, threadID string) (settings string, err error) {
	err = s.read(
		ctx,
		"reading the settings of the thread",
		&settings,
		`SELECT conversation FROM threads WHERE id = ?`,
		threadID,
	)
	return settings, err
}

// SetThreadSettings keeps the settings of a thread; "" for none of its own.
func (s *Store) SetThreadSettings(ctx context.Context, threadID, settings string) error {
	return s.write(ctx, "storing the settings of the thread", func(t *tx) error {
		_, err := t.exec(`UPDATE threads SET conversation = ? WHERE id = ?`, settings, threadID)
		return err
	})
}

// drawFact is the name of the key of the workspace's chance.
const drawFact = "conversation_draw"

// DrawKey returns the key from which the draws of the conversation protocol are made.
// It is made once for a workspace.
func (s *Store) DrawKey(ctx context.Context) ([]byte, error) {
	var values []string
	err := s.read(ctx, "reading the key of the draws", &values, `SELECT value FROM facts WHERE name = ?`, drawFact)
	if err != nil {
		return nil, err
	}

	if len(values) == 0 {
		values = []string{rand.Text()}
		err := s.write(ctx, "storing the key of the draws", func(t *tx) error {
			_, err := t.exec(
				`INSERT INTO facts (name, value) VALUES (?, ?)`,
				drawFact,
				hex.EncodeToString([]byte(values[0])),
			)
			return err
		})

		return []byte(values[0]), err
	}

	key, err := hex.DecodeString(values[0])
	if err != nil {
		return nil, fmt.Errorf("read the key of the draws: %w", err)
	}

	return key, nil
}
