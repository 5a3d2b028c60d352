package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"parley"
	"parley/internal/disk"
	"parley/store/engine"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Copies says where automatic copies of the database lie, and how many are kept.
type Copies struct {
	Dir   string // next to the database if ""
	Keep  int    // so many; besides, the newest from before a migration; 3 if 0
	Space int64  // and no more than so many bytes, but at least one copy; 0 for no limit
}

// Copy is an automatic copy of the database, which was checked when it was made.
type Copy struct {
	Path   string
	Made   time.Time // later than that of all before, whatever the clock says
	Size   int64
	Before int64 // the version before the migration for which it was made; 0: it is a regular one
}

// A copy is named parley-20061122T150405.000.db, or parley-20061122T150405.000-v20.db from
// before a migration of version 20.
const (
	copyPrefix = "parley-"
	copyEnding = ".db"
	copyTime   = "20060102T150405.000"
)

func (c *Copy) name() string {
	name := copyPrefix + c.Made.UTC().Format(copyTime)
	if c.Before > 0 {
		name += fmt.Sprintf("-v%d", c.Before)
	}
	return name + copyEnding
}

// parseCopy reads the facts in a copy's name.
func parseCopy(name string) (c Copy, ok bool) {
	rest, isCopy := strings.CutPrefix(name, copyPrefix)
	rest, whole := strings.CutSuffix(rest, copyEnding)
	stamp, version, before := strings.Cut(rest, "-v")
	if before {
		if _, err := fmt.Sscan(version, &c.Before); err != nil {
			return c, false
		}
	}

	var err error
	c.Made, err = time.Parse(copyTime, stamp)

	return c, isCopy && whole && err == nil
}

// List returns the copies, the newest first.
func (r Copies) List() ([]Copy, error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return nil, disk.IgnoreMissing(err)
	}

	var list []Copy
	for _, e := range entries {
		c, ok := parseCopy(e.Name())
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		c.Path, c.Size = filepath.Join(r.Dir, e.Name()), info.Size()
		list = append(list, c)
	}

	slices.SortFunc(list, func(a, b Copy) int { return b.Made.Compare(a.Made) })

	return list, nil
}

// surplus returns those of the copies, the newest first, that the rules do not keep. The
// newest of all is always kept.
func (r Copies) surplus(list []Copy) (drop []Copy) {
	regular, before, space := 0, 0, int64(0)
	for i, c := range list {
		wanted := false
		if c.Before > 0 {
			before++
			wanted = before == 1
		}
		if regular < r.Keep {
			regular++
			wanted = true
		}

		full := r.Space > 0 && space+c.Size > r.Space
		if i > 0 && (!wanted || full) {
			drop = append(drop, c)
			continue
		}
		space += c.Size
	}

	return drop
}

// thin removes the copies that the rules do not keep. Those from before some time stay.
func (r Copies) thin(before time.Time) error {
	list, err := r.List()
	list = slices.DeleteFunc(list, func(c Copy) bool { return c.Made.Before(before) })
	for _, c := range r.surplus(list) {
		err = errors.Join(err, disk.IgnoreMissing(os.Remove(c.Path)))
	}
	return err
}

// newestGood returns the newest copy that is whole, and how far it is. It is nil if there is none.
func (r Copies) newestGood(ctx context.Context) (*Copy, progress) {
	list, _ := r.List() // what cannot be listed cannot be used
	for i := range list {
		if p, err := examineCopy(ctx, list[i].Path); err == nil {
			return &list[i], p
		}
	}
	return nil, progress{}
}

// openCopy opens a copy. It makes no files next to it.
func openCopy(path string) (*sql.DB, error) {
	return engine.Connect(engine.DSN(path, time.Second, engine.ReaderPragmas...)+"&mode=ro&immutable=1", 1)
}

// progressOfCopy returns how far a copy is.
func progressOfCopy(ctx context.Context, path string) (p progress, err error) {
	pool, err := openCopy(path)
	if err != nil {
		return p, err
	}
	defer pool.Close()

	return progressOf(ctx, pool)
}

// examineCopy reads every page of a copy, and returns how far it is. It refuses one that Open would refuse.
func examineCopy(ctx context.Context, path string) (p progress, err error) {
	pool, err := openCopy(path)
	if err != nil {
		return p, err
	}
	defer pool.Close()

	_, ours, err := engine.Contents(ctx, pool)
	if err != nil {
		return p, err
	}
	if !ours {
		return p, notOurs(path)
	}
	var version int64
	if err := pool.QueryRowContext(ctx, engine.VersionQuery).Scan(&version); err != nil {
		return p, err
	}
	if isTooOld(version) {
		return p, tooOld(path, version)
	}

	verdict, err := engine.CheckAll(ctx, pool)
	if err != nil {
		return p, err
	}
	if verdict != "" {
		return p, errors.New(verdict)
	}

	return progressOf(ctx, pool)
}

// make copies the database, checks the copy, and removes the copies that are not needed any
// more. A copy that is not whole replaces none.
func (r Copies) make(ctx context.Context, db *sql.DB, c Copy) (Copy, error) {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return c, err
	}

	// When the clock was set back, the copy would count as an old one, and be removed at once.
	list, err := r.List()
	if err != nil {
		return c, err
	}
	if len(list) > 0 && !c.Made.After(list[0].Made) {
		c.Made = list[0].Made.Add(time.Millisecond)
	}

	c.Path = filepath.Join(r.Dir, c.name())
	part := c.Path + ".part"
	if err := disk.IgnoreMissing(os.Remove(part)); err != nil { // of a daemon that was killed
		return c, err
	}

	if c.Size, err = copyTo(ctx, db, part); err != nil {
		return c, err
	}
	if _, err = examineCopy(ctx, part); err == nil {
		err = os.Rename(part, c.Path)
	}
	if err != nil {
		return c, errors.Join(err, os.Remove(part))
	}

	return c, errors.Join(disk.SyncDir(r.Dir), r.thin(lossOf(ctx, db)))
}

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
	if err := s.roomForCopy(); err != nil {
		return Copy{}, err
	}

	pool, err := engine.Connect(engine.DSN(s.path, s.tuning.busyTimeout), 1)
	if err != nil {
		return Copy{}, s.fail("keeping a copy", err)
	}
	defer pool.Close()

	c, err := s.copies.make(ctx, pool, Copy{Made: s.now()})
	if err != nil {
		return c, failure(c.Path, "keeping a copy", err)
	}

	return c, nil
}

// spareRoom is the free space in bytes that a copy leaves.
const spareRoom = 64 << 20

func (db *database) roomForCopy() error {
	info, err := os.Stat(db.path)
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
	if !s.sql.Embedded {
		return false, nil
	}
	list, err := s.copies.List()
	if err != nil {
		return false, failure(s.copies.Dir, "looking for copies", err)
	}

	var has progress
	if len(list) == 0 {
		every = min(every, firstCopy)
	} else if has, err = progressOfCopy(ctx, list[0].Path); err != nil {
		return true, nil // it is damaged
	}

	var at []int64
	err = s.read(ctx, "looking for what is not copied", &at,
		`SELECT at FROM events WHERE seq > ? ORDER BY seq LIMIT 1`, has.Event)
	if err != nil || len(at) == 0 {
		return false, err
	}

	return s.now().Sub(time.Unix(0, at[0])) >= every, nil
}

// Check looks for damage in every page of the database. Other calls may write meanwhile. If it
// finds some, nothing more is accepted.
func (s *Workspace) Check(ctx context.Context) error {
	if s.queue.IsClosed() {
		return errClosed()
	}
	if err := s.Refusal(); err != nil || !s.sql.Embedded {
		return err
	}

	pool, err := engine.Connect(engine.DSN(s.path, s.tuning.busyTimeout, engine.ReaderPragmas...), 1)
	if err != nil {
		return s.fail("checking the database", err)
	}
	defer pool.Close()

	verdict, err := engine.Check(ctx, pool)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.fail("checking the database", err)
	case verdict != "":
		return s.condemn(verdict)
	}

	return nil
}
