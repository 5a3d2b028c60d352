package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/store/engine"
)

// lossOf returns since when a database is known to lack something that its copies may have; the zero time for nothing.
func lossOf(ctx context.Context, db *sql.DB) time.Time {
	var value string
	lacks := new(Shortfall)
	err := db.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = ?`, shortfallFact).Scan(&value)
	if err != nil || json.Unmarshal([]byte(value), lacks) != nil {
		return time.Time{}
	}
	return lacks.Since
}

// KeepCopy makes an automatic copy. It refuses when the database is damaged, so that no good
// copy is displaced, and when the disk has no room for it. Other calls may write meanwhile.
func (s *Workspace) KeepCopy(ctx context.Context) (Copy, error) {
	if err := s.Check(ctx); err != nil {
		return Copy{}, err
	}
	if err := s.db.roomForCopy(); err != nil {
		return Copy{}, err
	}

	pool, err := engine.Connect(engine.DSN(s.db.base.Path, s.db.busyTimeout), 1)
	if err != nil {
		return Copy{}, s.db.fail("keeping a copy", err)
	}
	defer pool.Close()

	c, err := s.db.copies.Make(ctx, pool, Copy{Made: s.db.base.Now()}, schema.WholeCopy(ctx), lossOf(ctx, pool))
	if err != nil {
		return c, failure(c.Path, "keeping a copy", err)
	}

	return c, nil
}

// spareRoom is the free space in bytes that a copy leaves.
const spareRoom = 64 << 20

func (db *database) roomForCopy() error {
	info, err := os.Stat(db.base.Path)
	if err != nil {
		return db.fail("looking at the database", err)
	}

	var st unix.Statfs_t
	dir := db.copies.Dir
	for unix.Statfs(dir, &st) != nil {
		if dir == filepath.Dir(dir) {
			return nil // unknown; the copy itself will tell
		}
		dir = filepath.Dir(dir)
	}

	free := int64(st.Bavail) * int64(st.Bsize) // the types differ between systems
	if free >= info.Size()+spareRoom {
		return nil
	}

	return parley.Errorf(parley.StorageUnavailable, "the disk has no room for a copy of the database").
		Suggest("Free %d MB on the disk of %s.", (info.Size()+spareRoom-free)>>20+1, dir)
}

// firstCopy is when the first copy is made: a young workspace has no other way back.
const firstCopy = 5 * time.Minute

// CopyDue reports whether something that was stored longer ago than every is in no automatic
// copy yet. While there is no copy, some minutes are long enough.
func (s *Workspace) CopyDue(ctx context.Context, every time.Duration) (bool, error) {
	if !s.db.base.SQL.Embedded {
		return false, nil
	}
	list, err := s.db.copies.List()
	if err != nil {
		return false, failure(s.db.copies.Dir, "looking for copies", err)
	}

	var has engine.Progress
	if len(list) == 0 {
		every = min(every, firstCopy)
	} else if has, err = schema.ProgressOfCopy(ctx, list[0].Path); err != nil {
		return true, nil // it is damaged
	}

	var at []int64
	err = s.db.read(ctx, "looking for what is not copied", &at,
		`SELECT at FROM events WHERE seq > ? ORDER BY seq LIMIT 1`, has.Event)
	if err != nil || len(at) == 0 {
		return false, err
	}

	return s.db.base.Now().Sub(time.Unix(0, at[0])) >= every, nil
}

// Check looks for damage in every page of the database. Other calls may write meanwhile. If it
// finds some, nothing more is accepted.
func (s *Workspace) Check(ctx context.Context) error {
	if s.db.base.Queue.IsClosed() {
		return errClosed()
	}
	if err := s.Refusal(); err != nil || !s.db.base.SQL.Embedded {
		return err
	}

	pool, err := engine.Connect(engine.DSN(s.db.base.Path, s.db.busyTimeout, engine.ReaderPragmas...), 1)
	if err != nil {
		return s.db.fail("checking the database", err)
	}
	defer pool.Close()

	verdict, err := engine.Check(ctx, pool)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.db.fail("checking the database", err)
	case verdict != "":
		return failure(s.db.base.Path, "checking the database", s.db.base.Condemn(verdict))
	}

	return nil
}
