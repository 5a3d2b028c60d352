package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// failure describes what went wrong with the database at path, and while doing what. It
// keeps the text of the driver's error, but not its type.
func failure(path, doing string, err error) error {
	if engine.Contextual(err) && engine.FaultOf(err) == engine.FaultNone || refused(err) {
		return err
	}
	if e := verdictOf(err); e != nil {
		return e
	}
	if e := hostFailure(err); e != nil {
		return e
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

	switch engine.OSFault(err) {
	case engine.FaultLocked:
		return unavailable("the database %s is locked by another process", path).
			Suggest("Close the program that holds it (fuser %s shows it) and try again.", path)
	case engine.FaultFull:
		return unavailable("the disk is full, and nothing was changed (%s)", doing).
			Suggest("Free some space on the disk of %s and try again.", filepath.Dir(path))
	case engine.FaultPermission:
		return unavailable("no permission to read and write the database %s", path).
			Suggest("Check its owner with ls -l %s, and fix it with chown or chmod u+rw.", path)
	case engine.FaultCorrupt:
		return damaged(path).With("cause", err.Error())
	case engine.FaultForeign:
		return unavailable("%s is not a database", path).With(damageDetail, true).Suggest("%s", repairStep)
	case engine.FaultIO:
		return unavailable("%s failed: %v", doing, err).
			Suggest("Check that %s exists and that its disk works, then try again.", filepath.Dir(path))
	}

	return fmt.Errorf("%s: %v", doing, err)
}

// exhausted returns the error of a database that cannot be opened because the system has no means
// left. SQLite does not tell, so this opens as many files as SQLite does.
func exhausted(path string, err error) *parley.Error {
	if engine.OSFault(err) != engine.FaultIO {
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

// verdictOf describes what is wrong with a database, nil for another error.
func verdictOf(err error) error {
	var damage *engine.DamagedError
	var hopeless *engine.HopelessError
	var lacks *engine.LacksError
	var foreign *engine.ForeignError
	var old *engine.TooOldError
	var differs *engine.DiffersError

	switch {
	case errors.As(err, &damage):
		return damaged(damage.Path).With("cause", damage.Cause)
	case errors.As(err, &hopeless):
		return damaged(hopeless.Path).With("cause", hopeless.Cause).
			Suggest("Put a copy of parley backup in its place: there is no automatic one, and none of it can be " +
				"read. Or move it away, and run parley doctor --repair: it begins with an empty one.")
	case errors.As(err, &lacks):
		short := missing(lacks.Known, lacks.Has)
		return parley.Errorf(parley.StorageUnavailable,
			"the database %s %s: it lacks %s that parley had acknowledged", lacks.Path, lacks.Is, short.Words()).
			With("file", lacks.Path).With("lacks_messages", short.Messages).With(damageDetail, true).
			Suggest("%s", repairStep)
	case errors.As(err, &foreign):
		return notOurs(foreign.Path)
	case errors.As(err, &old):
		return tooOld(old.Place, old.Version)
	case errors.As(err, &differs):
		return parley.Errorf(parley.StorageUnavailable, "the table %s differs after the move: %d rows became %d",
			differs.Table, differs.Had, differs.Has).With("table", differs.Table).
			Suggest("Does another program use one of the two? End it, and move again: nothing was moved.")
	}

	return nil
}

func damaged(path string) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable, "the database %s is damaged", path).With("file", path).
		With(damageDetail, true).Suggest("%s", repairStep)
}

func errClosed() error {
	return parley.Errorf(parley.StorageUnavailable, "the database is closed").
		Suggest("Start the daemon again: parley up.")
}

func noAgent(id string) error {
	return parley.Errorf(parley.AgentNotFound, "no agent has the ID %q", plain.CleanLine(id)).
		Suggest("get_agent_status lists the agents.")
}

func noMessage(ref string) error {
	return parley.Errorf(parley.MessageNotFound, "there is no message %q", plain.CleanLine(ref)).
		Suggest("Give the message's id, or at least its first %d characters.", parley.ShortID)
}

// damageDetail is set in the details of an error that says that the database is damaged.
const damageDetail = "damaged"

// repairStep is the next step where nothing is known of copies.
const repairStep = "Run parley doctor --repair: it puts the newest good copy in its place, and keeps the damaged file."

// ErrStale says that a delivery is no longer in the state that the call builds
// on: someone else has moved it meanwhile. Nothing was changed.
var ErrStale = errors.New("the delivery is no longer in that state")

// refused reports whether an error is an answer to the caller, and not a failure of the
// database.
func refused(err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	_, ok := errors.AsType[*parley.Error](err)
	return ok
}

// lostFiles describes the files of a database that were removed while it was open, and what they hold is saved unless
// that failed.
func lostFiles(path string) func(cause, saving error) error {
	return func(cause, saving error) error {
		e := parley.Errorf(parley.StorageUnavailable, "the database %s is not safe: %v", path, cause).With("file", path)
		if saving != nil {
			return e.Suggest("Make room on the disk of %s, and let the directory be written: the daemon saves there "+
				"what it holds, as soon as it can. Until then, do not end it.", filepath.Dir(path))
		}
		return e.Suggest("Try again: the daemon has saved all that it held, and the next one goes on with that.")
	}
}

func notOurs(file string) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable, "%s is a database, but not parley's", file).
		With("file", file).
		Suggest("Move it away, or choose another workspace directory.")
}

func tooOld(place string, version int64) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable,
		"the database %s is from an older parley: its version is %d, and this program begins with %d", place, version,
		firstVersion).
		With("file", place).With("version", version).
		Suggest("Nothing was changed. Go on with the parley that made it. Or move it away, and start over.")
}

// firstVersion is the oldest that is opened. It stays: a step is never changed once it has been in a program, and each
// has a fixture in testdata.
const firstVersion = 47

// serverTrouble is what an operator is told about a fault of the server. PLACE is that of the
// database, DOING what was being done.
var serverTrouble = map[engine.Fault]struct{ says, next string }{
	engine.FaultUnreachable: {
		"PostgreSQL cannot be reached at PLACE (DOING)",
		"Check that the server runs and that this machine reaches it: pg_isready -d 'PLACE'. " +
			"The daemon goes on when it is back.",
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
		"Free some space there. The daemon then goes on.",
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
