package engine

import (
	"errors"
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
