package store

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
)

// pauseFact is the name of the fact that holds the pause.
const pauseFact = "pause"

// The states in the event of a pause.
const (
	pauseBegins = "paused"
	pauseEnds   = "resumed"
)

// Pause returns the pause of communication, nil when there is none.
func (s *Workspace) Pause(ctx context.Context) (*parley.Pause, error) {
	var values []string
	err := s.read(ctx, "reading whether communication is paused", &values,
		`SELECT value FROM facts WHERE name = ?`, pauseFact)
	if err != nil {
		return nil, err
	}
	return parsePause(values)
}

// parsePause reads the fact of a pause, if there is one.
func parsePause(values []string) (*parley.Pause, error) {
	if len(values) == 0 {
		return nil, nil
	}

	p := new(parley.Pause)
	if err := json.Unmarshal([]byte(values[0]), p); err != nil {
		return nil, fmt.Errorf("read who paused communication: %w", err)
	}

	return p, nil
}

// SetPause begins a pause, or ends it if p is nil, in the name of an agent. It calls stored, which must not
// wait, in the order in which all hosts commit; stored may be nil.
func (s *Workspace) SetPause(ctx context.Context, agentID string, p *parley.Pause, stored func()) error {
	return s.write(ctx, "pausing communication", func(t *tx) error {
		t.then(stored)
		e := eventRow{Type: parley.EventCommunication, AgentID: agentID, State: pauseEnds}
		if p == nil {
			t.emit(e)
			_, err := t.exec(`DELETE FROM facts WHERE name = ?`, pauseFact)
			return err
		}

		value, err := json.Marshal(p)
		if err != nil {
			return err
		}

		e.State, e.Detail = pauseBegins, p.Reason
		t.emit(e)
		_, err = t.exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, pauseFact, string(value))

		return err
	})
}
