package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"parley"
)

// Repaired says what Repair did.
type Repaired struct {
	PutBack bool       // the database had been removed
	Aside   string     // where the damaged one is; "" if it was not damaged
	Copy    *Copy      // what took its place; nil if it could be rebuilt
	Lacks   *Shortfall // what that lacks of what was acknowledged; nil for nothing
}

// Repair puts back a database that was removed or replaced while a daemon had it open. It
// replaces one that is damaged: by what can be rebuilt from it if that is whole, else by the
// newest good copy. What was there is kept. No daemon may run.
func Repair(ctx context.Context, o Options) (done Repaired, err error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return done, failure(o.Path, "finding the database", err)
	}
	if done.PutBack, err = takeSaved(path, o.clock()); err != nil {
		return done, failure(path, "putting the database back", err)
	}

	if !exists(path) {
		return done, nil
	}

	_, err = Inspect(ctx, o)
	if e, ok := errors.AsType[*parley.Error](err); !ok || e.Details[damageDetail] == nil {
		return done, err
	}

	r := repair{Options: o, path: path, copies: o.Copies.or(path)}
	if err := r.replace(ctx, &done); err != nil {
		return done, failure(path, "repairing the database", err)
	}

	return done, nil
}

// repair replaces a damaged database.
type repair struct {
	Options
	path   string
	copies Copies
}

func (r *repair) replace(ctx context.Context, done *Repaired) error {
	next := r.path + ".next"
	if err := removeDatabase(next); err != nil { // of a repair that was interrupted
		return err
	}

	acknowledged, err := readProgress(progressPath(r.path))
	if err != nil {
		return err
	}

	has, broken := rebuild(ctx, r.path, next)
	c, copied := r.copies.newestGood(ctx)
	switch {
	case broken != nil && c == nil:
		return explainDamage(damaged(r.path), nil, nil, time.Time{}).With("cause", broken.Error())
	case broken != nil, copied.Event > has.Event:
		has, done.Copy = copied, c
		if err := errors.Join(removeDatabase(next), copyFile(c.Path, next)); err != nil {
			return err
		}
	}

	done.Lacks = missing(acknowledged, has)
	done.Aside, err = r.swap(next)

	return err
}

func removeDatabase(path string) error {
	var errs []error
	for _, ending := range endings {
		errs = append(errs, ignoreMissing(os.Remove(path+ending)))
	}
	return errors.Join(errs...)
}

// swap puts the new file in the place of the damaged one, which it keeps. Interrupted at any
// point, it leaves one of the two in place, and never a log of the other.
func (r *repair) swap(next string) (aside string, err error) {
	aside = r.path + ".damaged-" + r.clock().UTC().Format(copyTime)
	if os.Link(r.path, aside) != nil { // no hard links here
		if err := copyFile(r.path, aside); err != nil {
			return "", err
		}
	}
	if err := ignoreMissing(os.Rename(r.path+"-wal", aside+"-wal")); err != nil {
		return "", err
	}
	if err := ignoreMissing(os.Remove(r.path + "-shm")); err != nil {
		return "", err
	}

	return aside, errors.Join(os.Rename(next, r.path), syncDir(filepath.Dir(r.path)))
}
