package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/disk"
)

// Copies says where automatic copies of the database lie, and how many are kept.
type Copies struct {
	Dir   string // next to the database if ""
	Keep  int    // the last of so many days; besides, the second, and the newest from before a migration; 3 if 0
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
	CopyTime   = "20060102T150405.000"
)

func (c *Copy) name() string {
	name := copyPrefix + c.Made.UTC().Format(CopyTime)
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
	c.Made, err = time.Parse(CopyTime, stamp)

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
	days, day, before, space := 0, "", 0, int64(0)
	for i, c := range list {
		wanted := i < min(2, r.Keep) // the newest may be damaged
		if c.Before > 0 {
			before++
			wanted = before == 1
		}
		if made := c.Made.UTC().Format(time.DateOnly); made != day && days < r.Keep {
			days, day = days+1, made
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

// Thin removes the copies that the rules do not keep. Those from before some time stay.
func (r Copies) Thin(before time.Time) error {
	list, err := r.List()
	list = slices.DeleteFunc(list, func(c Copy) bool { return c.Made.Before(before) })
	for _, c := range r.surplus(list) {
		err = errors.Join(err, disk.IgnoreMissing(os.Remove(c.Path)))
	}
	return err
}

// Or fills in the defaults for a database.
func (r Copies) Or(path string) Copies {
	r.Dir = cmp.Or(r.Dir, filepath.Join(filepath.Dir(path), "backups"))
	r.Keep = cmp.Or(r.Keep, 3)
	return r
}

// Where says where to find automatic copies.
func (r Copies) Where() string {
	if list, err := r.List(); err == nil && len(list) == 0 {
		return "one that parley backup made; there are no automatic ones."
	}
	return fmt.Sprintf("automatic ones are in %s.", r.Dir)
}

// OpenCopy opens a copy. It makes no files next to it.
func OpenCopy(path string) (*sql.DB, error) {
	return Connect(DSN(path, time.Second, ReaderPragmas...)+"&mode=ro&immutable=1", 1)
}

// Make copies the database, checks the copy, and removes the copies that are not needed any
// more. A copy that is not whole replaces none. Copies from before a loss stay, if there was one.
func (r Copies) Make(
	ctx context.Context, db *sql.DB, c Copy, examine func(path string) error, loss time.Time,
) (Copy, error) {
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

	if c.Size, err = CopyTo(ctx, db, part); err != nil {
		return c, err
	}
	if err = examine(part); err == nil {
		err = os.Rename(part, c.Path)
	}
	if err != nil {
		return c, errors.Join(err, os.Remove(part))
	}

	return c, errors.Join(disk.SyncDir(r.Dir), r.Thin(loss))
}

// CopyTo copies the database to a new file (0600) and syncs it to the disk. SQLite would let
// others read it, and does not sync it.
func CopyTo(ctx context.Context, db Executor, path string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(path)
		}
	}()

	if err := CopyInto(ctx, db, path); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}

	info, err := f.Stat()
	if err != nil {
		return 0, err
	}

	return info.Size(), nil
}
