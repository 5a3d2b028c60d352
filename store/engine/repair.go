package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"time"

	"parley/internal/disk"
)

// Repair replaces a database that is not whole.
type Repair struct {
	Path string
	Now  func() time.Time
	Schema
	Rebuilding

	next  string // the path of what takes its place
	known *Examiner

	newest *Copy // that is good; nil for none, and if none is to be used
	copied Progress
}

// Rebuilding is what the nouns know about how a database is made again.
type Rebuilding struct {
	Make   func(ctx context.Context, path string) error // makes an empty database
	Tables []Described
	Pruned string // the fact that holds the number of the last row that went for its age

	Invent func(*Reference) string                     // see Salvage.Join
	Finish func(ctx context.Context, tx *sql.Tx) error // makes what is not copied
	// GoOn opens a database that takes the place of another once, so that it knows what it lacks.
	GoOn func(ctx context.Context, path string, c Continuation) error
}

// Grown returns the names of the tables from which rows are only removed for their age, so that a row of a copy is
// good. A key that was revoked, for example, would count again.
func (b *Rebuilding) Grown() (names []string) {
	for _, k := range b.Tables {
		if k := k.Describe(); k.Grows {
			names = append(names, k.Name)
		}
	}
	return names
}

// Repaired says what a repair did.
type Repaired struct {
	Aside string // where what was there is now; "" if there was nothing
	Copy  *Copy  // what took its place; nil if it could be rebuilt
	Lacks *Loss  // what that lacks of what was acknowledged; nil for nothing
}

// Loss is what a database lacks of what was acknowledged.
type Loss struct {
	Events int64
	Rows   int64    // that are numbered
	Tables []string // of which rows could not be read
	Since  time.Time
}

// Continuation is how a database that lacks something goes on.
type Continuation struct {
	After Progress // what was acknowledged: no number up to there is given again
	ID    uint32   // of the database, if it does not say
	Lacks *Loss    // nil for nothing
}

// LossOf returns what a database at one point lacks of what was acknowledged, nil for nothing.
func LossOf(acknowledged, has Progress) *Loss {
	if acknowledged.Event <= has.Event {
		return nil
	}
	return &Loss{Events: acknowledged.Event - has.Event, Rows: max(0, acknowledged.Row-has.Row)}
}

// Replace replaces a database, which an examiner has refused, by all that SQLite can read of it and of its log, with
// what that lacks from the newest good one of some copies, or by that copy if it knows more. If nothing is left of it,
// it is begun again. What was there is kept. There may be no copies.
func (r *Repair) Replace(ctx context.Context, known *Examiner, copies *Copies) (done Repaired, err error) {
	r.next, r.known = r.Path+".next", known
	if copies != nil {
		r.newest, r.copied = r.NewestGood(ctx, *copies)
	}
	err = r.replace(ctx, &done)
	return done, err
}

func (r *Repair) replace(ctx context.Context, done *Repaired) (err error) {
	if err := r.clear(); err != nil { // of a repair that was interrupted
		return err
	}

	made, err := r.rebuild(ctx)
	switch {
	case err != nil && (Contextual(err) || OSFault(err) == FaultFull):
		return err
	case r.newest != nil && (err != nil || r.copied.Event > made.has.Event):
		made, done.Copy = rebuilt{has: r.copied}, r.newest
		if err := errors.Join(removeDatabase(r.next), disk.Copy(r.newest.Path, r.next)); err != nil {
			return err
		}
	case err != nil && r.hasContent():
		return &HopelessError{r.Path, err.Error()}
	}

	if done.Lacks = LossOf(r.known.Known, made.has); made.lost > 0 || len(made.torn) > 0 {
		done.Lacks = &Loss{Events: max(0, r.known.Known.Event-made.has.Event), Rows: made.lost, Tables: made.torn}
	}
	if done.Lacks != nil {
		done.Lacks.Since = r.Now()
	}
	if err := r.GoOn(ctx, r.next, Continuation{r.known.Known, r.known.Before.ID, done.Lacks}); err != nil {
		return err
	}

	// If this is interrupted, TakeSaved goes on with it.
	if err := os.Rename(r.next, r.Path+SavedEnding); err != nil {
		return err
	}
	done.Aside, _, err = TakeSaved(r.Path, ".damaged-", r.Now())

	return errors.Join(err, r.clear())
}

// rebuilt says what a new database has of a damaged one.
type rebuilt struct {
	has  Progress
	torn []string // tables of which rows could not be read
	lost int64    // numbered rows that are missing
}

// source is a way to read a damaged database.
type source struct {
	path  string
	alone bool // without its write-ahead log
	has   Progress
	known bool // how far it is
}

// open lets SQLite read a file that is shorter than it says, or of which not all tables are known. Another pragma might
// read the file before these are set.
func (s *source) open() (*sql.DB, error) {
	how := "&mode=ro"
	if s.alone {
		how += "&immutable=1"
	}
	return Connect(DSN(s.path, time.Second, "query_only(1)", "writable_schema(1)")+how, 1)
}

// rebuild makes a new database of the best source that can be read.
func (r *Repair) rebuild(ctx context.Context) (made rebuilt, err error) {
	sources, err := r.sources(ctx)
	if err != nil {
		return made, err
	}

	err = errors.New("nothing of it can be read")
	for _, s := range sources {
		if err = errors.Join(removeDatabase(r.next), r.Make(ctx, r.next)); err != nil {
			return made, err
		}
		if made, err = r.transfer(ctx, &s); err == nil || Contextual(err) {
			break
		}
	}
	if err != nil {
		return made, err
	}
	has, err := r.ExamineCopy(ctx, r.next)
	if err != nil {
		return made, err
	}
	if made.has.Event == 0 {
		made.has = has
	}

	f, err := os.OpenFile(r.next, os.O_RDWR, 0)
	if err != nil {
		return made, err
	}

	return made, errors.Join(f.Sync(), f.Close())
}

// sources returns the ways in which the database can be read, the one that knows most first: with its log, what only
// that holds, and without it.
func (r *Repair) sources(ctx context.Context) (list []source, err error) {
	all := []source{{path: r.Path}}
	if image := r.image(); logSize(r.Path) > 0 {
		if err := errors.Join(r.Make(ctx, image), disk.Copy(r.Path+"-wal", image+"-wal")); err != nil {
			return nil, err
		}
		all = append(all, source{path: image})
	}
	for _, s := range append(all, source{path: r.Path, alone: true}) {
		if r.readable(ctx, &s) && (!s.known || s.has.Event >= r.copied.Event) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b source) int { return cmp.Compare(b.has.Event, a.has.Event) })

	return list, nil
}

// image returns the path of an empty database to which the log is laid.
func (r *Repair) image() string { return r.next + ".image" }

// readable reports whether a source holds this database, and notes how far it is. The first page of an empty database
// does not say whose the log is.
func (r *Repair) readable(ctx context.Context, s *source) bool {
	if info, err := os.Stat(s.path); err != nil || info.Size() == 0 {
		return false // SQLite would remove its log
	}
	pool, err := s.open()
	if err != nil {
		return false
	}
	defer pool.Close()

	if _, ours, err := Contents(ctx, pool); err != nil || !ours {
		return false
	}
	if r.known.isForeign(ctx, pool, s.path) {
		return false
	}
	if id, err := IDOf(ctx, pool); s.path == r.image() && (err != nil || id != r.known.Before.ID) {
		return false
	}
	s.has, err = r.ProgressOf(ctx, pool)
	s.known = err == nil

	return true
}

// transfer copies all rows from a source to a database without rows. It takes those that are missing from the newest
// copy, and makes again what is not copied.
func (r *Repair) transfer(ctx context.Context, s *source) (made rebuilt, err error) {
	from, err := s.open()
	if err != nil {
		return made, err
	}
	defer from.Close()
	pool, err := Connect(DSN(r.next, time.Second, "foreign_keys(0)"), 1)
	if err != nil {
		return made, err
	}
	defer pool.Close()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return made, err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	v := Salvage{tx, r.Tables}
	if made.torn, err = v.Take(ctx, from, nil); err != nil {
		return made, err
	}
	if made.lost, err = r.lostRows(ctx, tx, 0); err != nil {
		return made, err
	}
	whole := len(made.torn) == 0 && made.lost == 0
	if !whole {
		if made.lost, err = r.mend(ctx, v, made.torn); err != nil {
			return made, err
		}
	}
	if err := r.Finish(ctx, tx); err != nil {
		return made, err
	}
	if whole {
		made.has = s.has // the last numbers may be of rows that were removed
	}

	return made, tx.Commit()
}

// mend takes what could not be read from a copy, and returns how many numbered rows are still missing.
func (r *Repair) mend(ctx context.Context, s Salvage, torn []string) (lost int64, err error) {
	if r.newest != nil {
		pool, err := OpenCopy(r.newest.Path)
		if err != nil {
			return 0, err
		}
		defer pool.Close()
		if _, err := s.Take(ctx, pool, append(r.Grown(), torn...)); err != nil {
			return 0, err
		}
	}
	if err := s.Join(ctx, r.Invent); err != nil {
		return 0, err
	}
	return r.lostRows(ctx, s.To, r.copied.Row)
}

// lostRows counts the numbered rows behind one that are missing. Those up to the last one that was removed for its age
// may have been removed.
func (r *Repair) lostRows(ctx context.Context, tx *sql.Tx, behind int64) (lost int64, err error) {
	var last, n int64
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM facts WHERE name = ?`,
		r.Pruned).Scan(&last)
	if err != nil {
		return 0, err
	}
	behind = max(behind, last)
	err = tx.QueryRowContext(ctx, `SELECT count(*), coalesce(max(seq), 0) FROM `+r.Numbered+` WHERE seq > ?`, behind).
		Scan(&n, &last)

	return max(0, max(r.known.Known.Row, last)-behind-n), err
}

// hasContent reports whether there is something that might still be read by others.
func (r *Repair) hasContent() bool {
	info, err := os.Stat(r.Path)
	return err == nil && info.Size() > 0
}

// clear removes what a repair makes.
func (r *Repair) clear() error {
	return errors.Join(removeDatabase(r.next), removeDatabase(r.image()))
}

func removeDatabase(path string) error {
	var errs []error
	for _, ending := range append(Endings, ".progress") {
		errs = append(errs, disk.IgnoreMissing(os.Remove(path+ending)))
	}
	return errors.Join(errs...)
}
