package store

import (
	"context"
	"encoding/json"

	"parley"
)

// pauseFact is the name of the fact that communication is paused.
const pauseFact = "pause"

// What an event says of a pause.
const (
	pauseBegins = "paused"
	pauseEnds   = "resumed"
)

// SetPause begins a pause, or ends it with nil, in the name of an agent.
func (s *Workspace) SetPause(ctx context.Context, agentID string, p *parley.Pause) error {
	return s.write(ctx, "pausing communication", func(t *tx) error {
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
		_, err = t.exec(
			`INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
			pauseFact,
			string(value),
		)

		return err
	})
}
