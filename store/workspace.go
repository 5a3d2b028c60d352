package store

import (
	"cmp"
	"context"
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
