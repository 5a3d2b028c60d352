package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// Fault says how the database itself failed.
type Fault int

const (
	FaultNone       Fault = iota // it did not
	FaultLocked                  // another process holds it
	FaultFull                    // no room on the disk
	FaultPermission              // we may not read or write it
	FaultCorrupt                 // damaged
	FaultForeign                 // not a database
	FaultIO                      // the operating system refused

	// These are of a server.
	FaultUnreachable // there is no connection to it, or it has ended
	FaultStalled     // it has not answered, or has not got a lock, in time
	FaultCrowded     // it has no connection or no memory left
	FaultConflict    // another transaction was in the way
	FaultStandby     // it only reads
	FaultUnknown     // it was lost in the middle of a commit
	FaultRefused     // it does not let this user in, or there is no such database
)

// OSFault is like FaultOf, but knows the errors of the operating system too.
func OSFault(err error) Fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return FaultFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return FaultPermission
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return FaultIO
	}
	return FaultOf(err)
}

// FaultOf returns how the database itself failed, faultNone for other errors.
func FaultOf(err error) Fault { return cmp.Or(sqliteFault(err), PostgresFault(err)) }

// Duplicate reports whether a row with the same key exists.
func Duplicate(err error) bool {
	code := CodeOf(err)
	return code == codeUnique || code == codePrimaryKey || hasState(err, stateUnique)
}

// Dangling reports whether a row refers to one that does not exist.
func Dangling(err error) bool { return CodeOf(err) == codeForeignKey || hasState(err, stateForeignKey) }

// Contextual reports whether a context has ended.
func Contextual(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
