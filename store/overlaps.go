package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// overlapsFact is the name of the fact that holds the overlaps.
const overlapsFact = "overlaps"

// Overlap is a file that two agents change. The agents are sorted by their ids.
type Overlap struct {
	Agents     [2]string `json:"agents"`
	Repository string    `json:"repository,omitempty"`
	Name       string    `json:"name"`  // below the checkout, or the path of a file outside of any
	Paths      [2]string `json:"paths"` // of each agent's copy; equal in one directory
	Since      time.Time `json:"since"`
	Told       time.Time `json:"told,omitzero"` // when the agents were told
	Gone       time.Time `json:"gone,omitzero"` // since when it is no longer so
}

// Overlaps returns the overlaps that this host's daemon stored last, or those of the daemons of all hosts.
func (s *Workspace) Overlaps(ctx context.Context, all bool) (list []Overlap, err error) {
	which, name := `name = ?`, overlapsFact+s.db.base.Host
	if all {
		which, name = `name LIKE ?`, overlapsFact+"%"
	}
	var values []string
	err = s.db.read(ctx, "reading which files two agents change", &values,
		`SELECT value FROM facts WHERE `+which+` ORDER BY name`, name)
	for _, value := range values {
		var of []Overlap
		if err := json.Unmarshal([]byte(value), &of); err != nil {
			return nil, fmt.Errorf("read which files two agents change: %w", err)
		}
		list = append(list, of...)
	}
	return list, err
}

// SetOverlaps stores all overlaps.
func (s *Workspace) SetOverlaps(ctx context.Context, list []Overlap) error {
	return s.db.write(ctx, "storing which files two agents change", func(t *tx) error {
		value, err := json.Marshal(list)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, overlapsFact+t.Host, string(value))
		return err
	})
}
