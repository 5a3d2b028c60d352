package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"parley"
)

// fault is a way in which the database itself fails.
type fault int

const (
	faultNone       fault = iota // not the database's
	faultLocked                  // another process holds it
	faultFull                    // no room on the disk
	faultPermission              // not ours to read or write
	faultCorrupt                 // damaged
	faultForeign                 // not a database
	faultIO                      // the operating system said no
)

// fail turns an error of the driver into one of ours; a context's end stays
// what it is.
func (db *database) fail(doing string, err error) error {
	if db.queue.isClosed() && codeOf(err) == 0 && !contextual(err) {
		return errClosed()
	}
	return failure(db.path, doing, err)
}

// failure describes what went wrong with the database at path while doing
// something. The text of the driver's error is kept, its type is not.
func failure(path, doing string, err error) error {
	if contextual(err) || refused(err) {
		return err
	}

	unavailable := func(format string, args ...any) *parley.Error {
		return parley.Errorf(parley.StorageUnavailable, format, args...).With("file", path).With("cause", err.Error())
	}

	switch osFault(err) {
	case faultLocked:
		return unavailable("the database %s is locked by another process", path).
			Suggest("Close the program that holds it (fuser %s shows it) and try again.", path)
	case faultFull:
		return unavailable("the disk is full, and nothing was changed (%s)", doing).
			Suggest("Make room on the disk of %s and try again.", filepath.Dir(path))
	case faultPermission:
		return unavailable("no permission to read and write the database %s", path).
			Suggest("See with ls -l %s who owns it, and make it yours (chown, chmod u+rw).", path)
	case faultCorrupt:
		return damaged(path).With("cause", err.Error())
	case faultForeign:
		return unavailable("%s is not a database", path).
			Suggest("Move it away and start again, or put a copy in its place: %s", whereCopies(path))
	case faultIO:
		return unavailable("%s failed: %v", doing, err).
			Suggest("Look at %s: is it there, is its disk well? Then try again.", filepath.Dir(path))
	}

	return fmt.Errorf("%s: %v", doing, err)
}

func damaged(path string) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable, "the database %s is damaged", path).With("file", path).
		Suggest("Stop parley, move %s away, and put the newest good copy in its place: %s", path, whereCopies(path))
}

// whereCopies says where the copies are that were made before migrations.
func whereCopies(path string) string {
	if found, err := filepath.Glob(path + ".bak-*"); err == nil && len(found) == 0 {
		return "one that parley backup made; there is no automatic one."
	}
	return fmt.Sprintf("automatic ones stand beside it (%s.bak-*).", path)
}

// osFault is faultOf for errors of the operating system too.
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

func contextual(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func errClosed() error {
	return parley.Errorf(parley.StorageUnavailable, "the database is closed").
		Suggest("Start the daemon again: parley up.")
}

func noAgent(id string) error {
	return parley.Errorf(parley.AgentNotFound, "there is no agent with the id %q", parley.CleanLine(id)).
		Suggest("See who is there with get_agent_status.")
}

func noMessage(ref string) error {
	return parley.Errorf(parley.MessageNotFound, "there is no message %q", parley.CleanLine(ref)).
		Suggest("Give the message's id, or at least its first %d characters.", parley.ShortID)
}
