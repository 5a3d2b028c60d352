package store

import (
	"cmp"
	"context"
	"errors"
	"os"
	"parley"
	"parley/internal/disk"
	"parley/store/engine"
	"path/filepath"
	"slices"
)

// Repaired says what Repair did.
type Repaired struct {
	PutBack  bool       // the database had been removed while it was open
	Replaced bool       // it was not whole
	Aside    string     // where it is now; "" if there was none
	Copy     *Copy      // what took its place; nil if it could be rebuilt
	Lacks    *Shortfall // what that lacks of what was acknowledged; nil for nothing
}

// Repair puts back a database that was removed or replaced while a daemon had it open. It replaces one that is not
// whole by all that can be read of it, with what it lacks from the newest good copy, or by that copy if it knows more.
// If nothing is left of it, it is begun again. What was there is kept. No daemon may run.
func Repair(ctx context.Context, o Options) (Repaired, error) { return repairFrom(ctx, o, true) }

// GoOn is like Repair, but uses no copy: it goes on with what is there, whatever that lacks.
func GoOn(ctx context.Context, o Options) (Repaired, error) { return repairFrom(ctx, o, false) }

func repairFrom(ctx context.Context, o Options, copies bool) (done Repaired, err error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return done, failure(o.Path, "finding the database", err)
	}
	if _, done.PutBack, err = engine.TakeSaved(path, engine.ForeignEnding, o.clock()); err != nil {
		return done, failure(path, "putting the database back", err)
	}

	known, err := newExaminer(ctx, path, o.Copies.Or(path))
	if err != nil {
		return done, failure(path, "reading what is known of the database", err)
	}
	known.all = true
	if _, err = known.examine(ctx); err == nil {
		return done, nil
	}
	err = failure(path, "reading the database", err)
	if e, ok := errors.AsType[*parley.Error](err); !ok || e.Details[damageDetail] == nil {
		return done, err
	}

	r := repair{Options: o, path: path, next: path + ".next", known: known}
	if copies {
		r.newest, r.copied = newestGood(ctx, o.Copies.Or(path))
	}
	if err := r.replace(ctx, &done); err != nil {
		return done, failure(path, "repairing the database", err)
	}

	return done, nil
}

// repair replaces a database that is not whole.
type repair struct {
	Options
	path, next string
	known      *examiner

	newest *Copy // that is good; nil for none, and if none is to be used
	copied engine.Progress
}

// image returns the path of a database that is put together from the whole parts of a damaged log.
func (r *repair) image() string { return r.next + ".image" }

func (r *repair) replace(ctx context.Context, done *Repaired) (err error) {
	if err := r.clear(); err != nil { // of a repair that was interrupted
		return err
	}

	made, err := r.rebuild(ctx)
	if err != nil && (engine.Contextual(err) || engine.OSFault(err) == engine.FaultFull) {
		return err
	}
	switch {
	case r.newest != nil && (err != nil || r.copied.Event > made.has.Event):
		made, done.Copy = rebuilt{has: r.copied}, r.newest
		if err := errors.Join(removeDatabase(r.next), disk.Copy(r.newest.Path, r.next)); err != nil {
			return err
		}
	case err != nil && r.hasContent():
		return damaged(r.path).With("cause", err.Error()).
			Suggest("Put a copy of parley backup in its place: there is no automatic one, and none of it can be read. " +
				"Or move it away, and run parley doctor --repair: it begins with an empty one.")
	}

	done.Lacks = r.lacks(made)
	if err := r.settle(ctx, &continuation{after: r.known.known, id: r.known.before.ID, lacks: done.Lacks}); err != nil {
		return err
	}
	done.Replaced = true
	done.Aside, err = r.swap()

	return errors.Join(err, r.clear())
}

// rebuild makes a new database of the best source that can be read.
func (r *repair) rebuild(ctx context.Context) (made rebuilt, err error) {
	sources, err := r.sources(ctx)
	if err != nil {
		return made, err
	}

	err = errors.New("nothing of it can be read")
	for _, s := range sources {
		if made, err = s.rebuild(ctx, r.next, r.newest, r.known.known); err == nil || engine.Contextual(err) {
			return made, err
		}
		if err := removeDatabase(r.next); err != nil {
			return made, err
		}
	}

	return made, err
}

// sources returns the ways in which the database can be read, the one that knows most first.
func (r *repair) sources(ctx context.Context) (list []source, err error) {
	salts, err := engine.SaltsOf(r.path)
	if err != nil {
		return nil, err
	}

	add := func(s source) {
		if r.readable(ctx, &s) {
			list = append(list, s)
		}
	}

	alone := source{path: r.path, alone: true}
	if r.known.before.Log.FollowedBy(salts) || salts == 0 {
		old := r.readable(ctx, &alone) && alone.has.Event < r.known.before.Base
		add(source{path: r.path, stale: old})

		mended, err := engine.MendLog(r.path, r.image())
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
func (r *repair) readable(ctx context.Context, s *source) bool {
	if !engine.HasHeader(s.path) {
		return false
	}
	pool, err := s.open()
	if err != nil {
		return false
	}
	defer pool.Close()

	_, ours, err := engine.Contents(ctx, pool)
	if err != nil || !ours {
		return false
	}
	if id, err := engine.IDOf(ctx, pool); err == nil && r.known.isForeign(id) {
		return false
	}
	s.has, _ = engine.ProgressOf(ctx, pool, "messages") // what cannot be read is not known

	return true
}

// hasContent reports whether there is something that might still be read by others.
func (r *repair) hasContent() bool {
	info, err := os.Stat(r.path)
	return err == nil && info.Size() > 0
}

// lacks returns what a new database lacks of what is known to have been there, nil for nothing.
func (r *repair) lacks(made rebuilt) *Shortfall {
	lacks := missing(r.known.known, made.has)
	if len(made.torn) > 0 || made.old {
		lacks = &Shortfall{Events: max(0, r.known.known.Event-made.has.Event), Messages: made.lost, Tables: made.torn}
	}
	if lacks != nil {
		lacks.Since = r.clock()
	}
	return lacks
}

// settle opens the new database once, so that it says what it lacks.
func (r *repair) settle(ctx context.Context, c *continuation) error {
	o := Options{Path: r.next, Now: r.Now, Log: r.Log}
	s, err := open(ctx, o, tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime, goOn: c})
	if err != nil {
		return err
	}
	return s.Close()
}

// clear removes what a repair makes.
func (r *repair) clear() error {
	return errors.Join(removeDatabase(r.next), removeDatabase(r.image()),
		disk.IgnoreMissing(os.Remove(engine.ProgressPath(r.next))))
}

func removeDatabase(path string) error {
	var errs []error
	for _, ending := range engine.Endings {
		errs = append(errs, disk.IgnoreMissing(os.Remove(path+ending)))
	}
	return errors.Join(errs...)
}

// swap puts the new file in the place of what is there, which it keeps. If it is interrupted, Open goes on with it.
func (r *repair) swap() (aside string, err error) {
	if err := os.Rename(r.next, r.path+engine.SavedEnding); err != nil {
		return "", err
	}
	aside, _, err = engine.TakeSaved(r.path, ".damaged-", r.clock())
	return aside, err
}
