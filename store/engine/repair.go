package engine

import (
	"cmp"
	"context"
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
	ID    uint64   // of the database, if it does not say
	Lacks *Loss    // nil for nothing
}

// LossOf returns what a database at one point lacks of what was acknowledged, nil for nothing.
func LossOf(acknowledged, has Progress) *Loss {
	if acknowledged.Event <= has.Event {
		return nil
	}
	return &Loss{Events: acknowledged.Event - has.Event, Rows: max(0, acknowledged.Row-has.Row)}
}

// Replace replaces a database, which an examiner has refused, by all that can be read of it, with what that lacks from
// the newest good one of some copies, or by that copy if it knows more. If nothing is left of it, it is begun again.
// What was there is kept. There may be no copies.
func (r *Repair) Replace(ctx context.Context, known *Examiner, copies *Copies) (done Repaired, err error) {
	r.next, r.known = r.Path+".next", known
	if copies != nil {
		r.newest, r.copied = r.NewestGood(ctx, *copies)
	}
	err = r.replace(ctx, &done)
	return done, err
}

// image returns the path of a database that is put together from the whole parts of a damaged log.
func (r *Repair) image() string { return r.next + ".image" }

func (r *Repair) replace(ctx context.Context, done *Repaired) (err error) {
	if err := r.clear(); err != nil { // of a repair that was interrupted
		return err
	}

	made, err := r.rebuild(ctx)
	if err != nil && (Contextual(err) || OSFault(err) == FaultFull) {
		return err
	}
	switch {
	case r.newest != nil && (err != nil || r.copied.Event > made.has.Event):
		made, done.Copy = rebuilt{has: r.copied}, r.newest
		if err := errors.Join(removeDatabase(r.next), disk.Copy(r.newest.Path, r.next)); err != nil {
			return err
		}
	case err != nil && r.hasContent():
		return &HopelessError{r.Path, err.Error()}
	}

	done.Lacks = r.lacks(made)
	if err := r.GoOn(ctx, r.next, Continuation{r.known.Known, r.known.Before.ID, done.Lacks}); err != nil {
		return err
	}
	done.Aside, err = r.swap()

	return errors.Join(err, r.clear())
}

// rebuild makes a new database of the best source that can be read.
func (r *Repair) rebuild(ctx context.Context) (made rebuilt, err error) {
	sources, err := r.sources(ctx)
	if err != nil {
		return made, err
	}

	err = errors.New("nothing of it can be read")
	for _, s := range sources {
		if made, err = r.rebuildFrom(ctx, &s); err == nil || Contextual(err) {
			return made, err
		}
		if err := removeDatabase(r.next); err != nil {
			return made, err
		}
	}

	return made, err
}

// sources returns the ways in which the database can be read, the one that knows most first.
func (r *Repair) sources(ctx context.Context) (list []source, err error) {
	salts, err := SaltsOf(r.Path)
	if err != nil {
		return nil, err
	}

	add := func(s source) {
		if r.readable(ctx, &s) {
			list = append(list, s)
		}
	}

	alone := source{path: r.Path, alone: true}
	if r.known.Before.Log.FollowedBy(salts) || salts == 0 {
		old := r.readable(ctx, &alone) && alone.has.Event < r.known.Before.Base
		add(source{path: r.Path, stale: old})

		mended, err := MendLog(r.Path, r.image())
		if err != nil {
			return nil, err
		}
		if mended {
			add(source{path: r.image(), alone: true, stale: true})
		}
	}
	add(alone)
	slices.SortStableFunc(list, func(a, b source) int { return cmp.Compare(b.has.Event, a.has.Event) })

	return list, nil
}

// readable reports whether a source holds this database, and notes how far it is.
func (r *Repair) readable(ctx context.Context, s *source) bool {
	if !HasHeader(s.path) {
		return false
	}
	pool, err := s.open()
	if err != nil {
		return false
	}
	defer pool.Close()

	_, ours, err := Contents(ctx, pool)
	if err != nil || !ours {
		return false
	}
	if id, err := IDOf(ctx, pool); err == nil && r.known.isForeign(id) {
		return false
	}
	s.has, _ = r.ProgressOf(ctx, pool) // what cannot be read is not known

	return true
}

// hasContent reports whether there is something that might still be read by others.
func (r *Repair) hasContent() bool {
	info, err := os.Stat(r.Path)
	return err == nil && info.Size() > 0
}

// lacks returns what a new database lacks of what is known to have been there, nil for nothing.
func (r *Repair) lacks(made rebuilt) *Loss {
	lacks := LossOf(r.known.Known, made.has)
	if len(made.torn) > 0 || made.old {
		lacks = &Loss{Events: max(0, r.known.Known.Event-made.has.Event), Rows: made.lost, Tables: made.torn}
	}
	if lacks != nil {
		lacks.Since = r.Now()
	}
	return lacks
}

// clear removes what a repair makes.
func (r *Repair) clear() error {
	return errors.Join(removeDatabase(r.next), removeDatabase(r.image()),
		disk.IgnoreMissing(os.Remove(ProgressPath(r.next))))
}

func removeDatabase(path string) error {
	var errs []error
	for _, ending := range Endings {
		errs = append(errs, disk.IgnoreMissing(os.Remove(path+ending)))
	}
	return errors.Join(errs...)
}

// swap puts the new file in the place of what is there, which it keeps. If it is interrupted, TakeSaved goes on with
// it.
func (r *Repair) swap() (aside string, err error) {
	if err := os.Rename(r.next, r.Path+SavedEnding); err != nil {
		return "", err
	}
	aside, _, err = TakeSaved(r.Path, ".damaged-", r.Now())
	return aside, err
}
