package terminal

import "sync/atomic"

// placing tells when it is worth asking again whose a process is.
type placing struct {
	changes   atomic.Int64 // see Placements
	launching atomic.Int64 // the number of launches whose programs may run, and are not known yet
}

// Placements returns a number that changes whenever processes may have come to belong to an agent,
// or no longer do.
func (pl *placing) Placements() int64 { return pl.changes.Load() }

// Launching reports whether a program may run already whose agent has no terminal yet.
func (pl *placing) Launching() bool { return pl.launching.Load() > 0 }
