package store

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
)

// Workspace keeps what holds for the workspace as a whole.
type Workspace struct{ *database }

// Pause returns the pause that holds, nil when messages go.
func (s *Workspace) Pause(ctx context.Context) (*parley.Pause, error) {
	var values []string
	err := s.read(
		ctx,
		"reading whether communication is paused",
		&values,
		`SELECT value FROM facts WHERE name = ?`,
		pauseFact,
	)
	if err != nil || len(values) == 0 {
		return nil, err
	}

	p := new(parley.Pause)
	if err := json.Unmarshal([]byte(values[0]), p); err != nil {
		return nil, fmt.Errorf("read who paused communication: %w", err)
	}

	return p, nil
}
