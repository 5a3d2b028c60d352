package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/store/engine"
)

// Shortfall returns what the database was found to lack, nil for nothing.
func (s *Workspace) Shortfall(ctx context.Context) (*Shortfall, error) {
	var values []string
	err := s.read(ctx, "reading what is missing", &values, `SELECT value FROM facts WHERE name = ?`, shortfallFact)
	if err != nil || len(values) == 0 {
		return nil, err
	}

	found := new(Shortfall)
	if err := json.Unmarshal([]byte(values[0]), found); err != nil {
		return nil, fmt.Errorf("read what is missing: %w", err)
	}

	return found, nil
}

// DismissShortfall forgets what the database was found to lack, and reports whether there was
// anything.
func (s *Workspace) DismissShortfall(ctx context.Context) (found bool, err error) {
	err = s.write(ctx, "dismissing what is missing", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM facts WHERE name = ?`, shortfallFact)
		found = n > 0
		return err
	})
	return found, err
}

// settle stores, for the operator, what a repaired database lacks, and gives up the deliveries that are open, which may
// have been typed since.
func (db opening) settle(c *engine.Continuation) error {
	if err := db.base.First(func(t *tx) error { return goOn(t, c) }); err != nil {
		return err
	}
	db.base.Events.Begin(max(db.base.Events.Last(), c.After.Event))
	db.base.Progress.Last.Progress = engine.Progress{Event: max(db.base.Progress.Last.Event, c.After.Event),
		Row: max(db.base.Progress.Last.Row, c.After.Row)}
	return db.base.Progress.Write()
}

// goOn lets the numbers go on, and stores what is lacked.
func goOn(t *tx, c *engine.Continuation) error {
	for _, statement := range t.SQL.Continues(tables) {
		if _, err := t.Exec(strings.ReplaceAll(statement, "LAST", fmt.Sprint(c.After.Event))); err != nil {
			return err
		}
	}
	if _, err := t.Exec(`INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0
		WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages')`); err != nil {
		return err
	}
	if _, err := t.Exec(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages' AND seq < ?`, c.After.Row,
		c.After.Row); err != nil {
		return err
	}
	if c.Lacks == nil {
		return nil
	}
	if err := (deliveriesIn{t}).doubt(); err != nil {
		return err
	}

	value, err := json.Marshal(shortfallOf(c.Lacks))
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, shortfallFact, string(value))
	return err
}

// doubt gives up all open deliveries: the terminals may have had them already.
func (t deliveriesIn) doubt() error {
	var keys []Key
	if err := t.Query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d WHERE `+isOpen); err != nil {
		return err
	}

	doubted := Change{
		State:  parley.DeliveryUnconfirmed,
		Reason: parley.EndedBehind.Words(""),
		Code:   parley.EndedBehind,
	}
	for _, k := range keys {
		if err := t.write(k, []Change{doubted}, 0); err != nil {
			return err
		}
	}

	return nil
}
