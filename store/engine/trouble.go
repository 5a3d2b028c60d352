package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The engine's own troubles, apart from those of a driver: see FaultOf. Whoever uses the engine says what to do.

// ErrGap says that events were removed that this daemon has not seen.
var ErrGap = errors.New("events are missing")

// errBehind says that there is more to take before anything is written.
var errBehind = errors.New("others have written much")

// DamagedError says that the file of a database is damaged.
type DamagedError struct{ Path, Cause string }

func (e *DamagedError) Error() string { return "the database " + e.Path + " is damaged" }

// HopelessError says that nothing of a damaged database can be read, and no copy of it is there.
type HopelessError struct{ Path, Cause string }

func (e *HopelessError) Error() string {
	return "nothing of the database " + e.Path + " can be read: " + e.Cause
}

// LacksError says that a database lacks what was acknowledged.
type LacksError struct {
	Path, Is   string   // what the file is: missing, for example
	Known, Has Progress // how far it was, and is
}

func (e *LacksError) Error() string { return "the database " + e.Path + " " + e.Is }

// ForeignError says that a file is a database of another program.
type ForeignError struct{ Path string }

func (e *ForeignError) Error() string { return e.Path + " is a database of another program" }

// TooOldError says that no migration goes on from the version of a database.
type TooOldError struct {
	Place   string
	Version int64
}

func (e *TooOldError) Error() string {
	return fmt.Sprintf("%s has version %d, which is too old", e.Place, e.Version)
}

// IsVerdict reports whether an error says what is wrong with a database, and not that it could not be read.
func IsVerdict(err error) bool {
	var damaged *DamagedError
	var lacks *LacksError
	var foreign *ForeignError
	var old *TooOldError
	return errors.As(err, &damaged) || errors.As(err, &lacks) || errors.As(err, &foreign) || errors.As(err, &old)
}

// DiffersError says that a table is not the same after it was copied.
type DiffersError struct {
	Table    string
	Had, Has int64 // rows, before and after
}

func (e *DiffersError) Error() string { return "the table " + e.Table + " is not as it was" }

// TakenError says that another daemon is the host of this name, for some time at least.
type TakenError struct {
	Place, Host, Holder string
	Left                time.Duration
}

func (e *TakenError) Error() string {
	return "another daemon uses the workspace in " + e.Place + " as host " + e.Host + ": " + e.Holder
}

// SharedError says that other hosts are at work, where one must be alone.
type SharedError struct {
	Place  string
	Others []string
}

func (e *SharedError) Error() string {
	return "other hosts use the workspace in " + e.Place + ": " + strings.Join(e.Others, ", ")
}

// LostError says that this daemon is not its host any more. Without a holder, the host was removed.
type LostError struct{ Place, Host, Holder string }

func (e *LostError) Error() string {
	why := "another daemon is host " + e.Host + " now: " + e.Holder
	if e.Holder == "" {
		why = "host " + e.Host + " was removed from the team"
	}
	return "this daemon has lost the workspace in " + e.Place + ": " + why
}

// MissedError says that this daemon cannot follow the other hosts any more, since it has missed events: see ErrGap.
type MissedError struct{ Place string }

func (e *MissedError) Error() string {
	return "this daemon missed what other hosts wrote in " + e.Place
}
