package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Workspace keeps what concerns the workspace as a whole: its pause, its counts, and the
// database itself.
type Workspace struct{ db *database }

// Ping returns nil when the database can be read, and the last change did not fail for want of room.
func (s *Workspace) Ping(ctx context.Context) error {
	if err := cmp.Or(s.Refusal(), s.Full()); err != nil {
		return err
	}
	var n int64
	return s.db.read(ctx, "reading the database", &n, `SELECT count(*) FROM (SELECT 1 FROM agents LIMIT 1) a`)
}

// Incidents tells what happened to the database's files while they were open, in words for
// the operator. The channel is never closed.
func (s *Workspace) Incidents() <-chan string { return s.db.base.Safety.News }

// Vanished is closed when the database's files were removed or replaced while they were open, and what
// they held is saved. The next Open goes on with that.
func (s *Workspace) Vanished() <-chan struct{} { return s.db.base.Safety.Saved }

// Refusal returns why the store accepts nothing more, nil while all is well.
func (s *Workspace) Refusal() error {
	if err := s.db.base.Safety.Refusal(); err != nil {
		return failure(s.db.base.Path, "writing to the database", err)
	}
	return nil
}

// Full returns how the last change failed for want of room on the disk, nil while there is room.
func (s *Workspace) Full() error {
	if err := s.db.base.Safety.Full(); err != nil {
		return failure(s.db.base.Path, "writing to the database", err)
	}
	return nil
}

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
