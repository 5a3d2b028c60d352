package store

import (
	"errors"
	"strings"

	"parley"
	"parley/store/engine"
)

// serverTrouble is what an operator is told about a fault of the server. PLACE is that of the
// database, DOING what was being done.
var serverTrouble = map[engine.Fault]struct{ says, next string }{
	engine.FaultUnreachable: {
		"PostgreSQL cannot be reached at PLACE (DOING)",
		"Check that the server runs and that this machine reaches it: pg_isready -d 'PLACE'. " +
			"The daemon goes on by itself when it is back.",
	},
	engine.FaultUnknown: {
		"PostgreSQL at PLACE was lost while it stored something (DOING): whether it is stored is not known",
		"Look before you do it again. A call that is repeated with its idempotency key finds what it stored.",
	},
	engine.FaultStalled: {
		"PostgreSQL at PLACE did not answer in time (DOING)",
		"Look what it is busy with: select * from pg_stat_activity. Then try again.",
	},
	engine.FaultCrowded: {
		"PostgreSQL at PLACE has no connections or no memory left (DOING)",
		"End connections that are not needed, or raise max_connections. Then try again.",
	},
	engine.FaultConflict: {
		"another transaction was in the way in PLACE (DOING)",
		"Try again. If that goes on, look who else writes: select * from pg_stat_activity.",
	},
	engine.FaultStandby: {
		"PostgreSQL at PLACE takes no writes: it is a standby (DOING)",
		"Name the primary in the setting database, or list both hosts in it.",
	},
	engine.FaultRefused: {
		"PostgreSQL at PLACE refuses parley (DOING)",
		"Check the user, the password, the database and its rights in the setting database.",
	},
	engine.FaultFull: {
		"the disk of PostgreSQL at PLACE is full (DOING)",
		"Free some space there. The daemon goes on by itself then.",
	},
	engine.FaultCorrupt: {
		"PostgreSQL at PLACE reports damage (DOING)",
		"Look at its log and its disk, and restore the database from a backup.",
	},
	engine.FaultIO: {
		"PostgreSQL at PLACE cannot use its disk (DOING)",
		"Look at its log and its disk.",
	},
}

// serverFailure describes a fault of a server, nil for another error.
func serverFailure(place, doing string, err error) *parley.Error {
	trouble, ok := serverTrouble[engine.PostgresFault(err)]
	if !ok {
		return nil
	}
	fill := strings.NewReplacer("PLACE", place, "DOING", doing).Replace
	return parley.Errorf(parley.StorageUnavailable, "%s", fill(trouble.says)).
		With("database", place).With("cause", err.Error()).Suggest("%s", fill(trouble.next))
}

// hostFailure describes what another daemon or another host did, nil for another error.
func hostFailure(err error) *parley.Error {
	var taken *engine.TakenError
	var shared *engine.SharedError
	var lost *engine.LostError
	var missed *engine.MissedError

	unavailable := func() *parley.Error { return parley.Errorf(parley.StorageUnavailable, "%v", err) }
	switch {
	case errors.As(err, &taken):
		return unavailable().With("database", taken.Place).With("host", taken.Host).With("holder", taken.Holder).
			Suggest("Each machine has a host name of its own, and one daemon: stop that one with parley down, or "+
				"give this machine another name with the setting host. If it is gone, try again in %d s.",
				int(taken.Left.Seconds())+1)
	case errors.As(err, &shared):
		return unavailable().With("hosts", shared.Others).
			Suggest("Stop their daemons first, with parley down --keep-agents on each of them, and try again.")
	case errors.As(err, &lost):
		return unavailable().With("host", lost.Host).With("holder", lost.Holder).
			Suggest("Stop this daemon (parley down --keep-agents), or the other, and start this one again.")
	case errors.As(err, &missed):
		return unavailable().Suggest("Start it again: parley down --keep-agents, then any command.")
	}

	return nil
}
