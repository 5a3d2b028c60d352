package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"parley"
)

// fault says how the database itself failed.
type fault int

const (
	faultNone       fault = iota // it did not
	faultLocked                  // another process holds it
	faultFull                    // no room on the disk
	faultPermission              // we may not read or write it
	faultCorrupt                 // damaged
	faultForeign                 // not a database
	faultIO                      // the operating system refused

	// These are of a server.
	faultUnreachable // there is no connection to it, or it has ended
	faultStalled     // it has not answered, or has not got a lock, in time
	faultCrowded     // it has no connection or no memory left
	faultConflict    // another transaction was in the way
	faultStandby     // it only reads
	faultUnknown     // it was lost in the middle of a commit
	faultRefused     // it does not let this user in, or there is no such database
)

// fail turns an error of the driver into one of ours. The error of a context stays as it
// is.
func (db *database) fail(doing string, err error) error {
	if db.queue.isClosed() && codeOf(err) == 0 && !contextual(err) {
		return errClosed()
	}
	db.notice(err)
	return failure(db.path, doing, err)
}

// failure describes what went wrong with the database at path, and while doing what. It
// keeps the text of the driver's error, but not its type.
func failure(path, doing string, err error) error {
	if contextual(err) && faultOf(err) == faultNone || refused(err) {
		return err
	}
	if e := serverFailure(path, doing, err); e != nil {
		return e
	}

	unavailable := func(format string, args ...any) *parley.Error {
		return parley.Errorf(parley.StorageUnavailable, format, args...).With("file", path).With("cause", err.Error())
	}

	if e := exhausted(path, err); e != nil {
		return e.With("file", path)
	}

	switch osFault(err) {
	case faultLocked:
		return unavailable("the database %s is locked by another process", path).
			Suggest("Close the program that holds it (fuser %s shows it) and try again.", path)
	case faultFull:
		return unavailable("the disk is full, and nothing was changed (%s)", doing).
			Suggest("Free some space on the disk of %s and try again.", filepath.Dir(path))
	case faultPermission:
		return unavailable("no permission to read and write the database %s", path).
			Suggest("Check its owner with ls -l %s, and fix it with chown or chmod u+rw.", path)
	case faultCorrupt:
		return damaged(path).With("cause", err.Error())
	case faultForeign:
		return unavailable("%s is not a database", path).With(damageDetail, true).Suggest("%s", repairStep)
	case faultIO:
		return unavailable("%s failed: %v", doing, err).
			Suggest("Check that %s exists and that its disk works, then try again.", filepath.Dir(path))
	}

	return fmt.Errorf("%s: %v", doing, err)
}

// exhausted returns the error of a database that cannot be opened because the system has no means
// left. SQLite does not tell, so this opens as many files as SQLite does.
func exhausted(path string, err error) *parley.Error {
	if osFault(err) != faultIO {
		return nil
	}

	for range 8 { // the database, its log and its index, for several connections
		f, opening := os.Open(filepath.Dir(path))
		if opening != nil {
			return parley.Exhausted(parley.StorageUnavailable, opening)
		}
		defer f.Close()
	}

	return nil
}

func damaged(path string) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable, "the database %s is damaged", path).With("file", path).
		With(damageDetail, true).Suggest("%s", repairStep)
}

// osFault is like faultOf, but knows the errors of the operating system too.
func osFault(err error) fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return faultFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return faultPermission
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return faultIO
	}
	return faultOf(err)
}

// faultOf returns how the database itself failed, faultNone for other errors.
func faultOf(err error) fault { return cmp.Or(sqliteFault(err), postgresFault(err)) }

// duplicate reports whether a row with the same key exists.
func duplicate(err error) bool {
	code := codeOf(err)
	return code == codeUnique || code == codePrimaryKey || hasState(err, stateUnique)
}

// dangling reports whether a row refers to one that does not exist.
func dangling(err error) bool { return codeOf(err) == codeForeignKey || hasState(err, stateForeignKey) }

// contextual reports whether a context has ended.
func contextual(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func errClosed() error {
	return parley.Errorf(parley.StorageUnavailable, "the database is closed").
		Suggest("Start the daemon again: parley up.")
}

func noAgent(id string) error {
	return parley.Errorf(parley.AgentNotFound, "no agent has the ID %q", parley.CleanLine(id)).
		Suggest("get_agent_status lists the agents.")
}

func noMessage(ref string) error {
	return parley.Errorf(parley.MessageNotFound, "there is no message %q", parley.CleanLine(ref)).
		Suggest("Give the message's id, or at least its first %d characters.", parley.ShortID)
}
