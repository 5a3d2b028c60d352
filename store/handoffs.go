package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
)

// handoffFact begins the names of the facts that hold the handoffs of agents; the agent's id follows.
const handoffFact = "handoff "

// Handoffs returns what is known of the handoffs of agents, by their ids.
func (s *Agents) Handoffs(ctx context.Context) (map[string]parley.Handoff, error) {
	var rows []struct{ Name, Value string }
	err := s.db.read(ctx, "reading the handoffs", &rows, `SELECT name, value FROM facts WHERE name LIKE ?`, handoffFact+"%")
	all := map[string]parley.Handoff{}
	for _, r := range rows {
		var h parley.Handoff
		if err := json.Unmarshal([]byte(r.Value), &h); err != nil {
			return nil, fmt.Errorf("read a handoff: %w", err)
		}
		all[strings.TrimPrefix(r.Name, handoffFact)] = h
	}
	return all, err
}

// SetHandoff stores what is known of the handoffs of an agent.
func (s *Agents) SetHandoff(ctx context.Context, id string, h parley.Handoff) error {
	return s.db.write(ctx, "storing the handoff", func(t *tx) error {
		value, err := json.Marshal(h)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, handoffFact+id, string(value))
		return err
	})
}
