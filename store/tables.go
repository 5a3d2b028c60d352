package store

import (
	"math"
	"time"

	"parley/store/engine"
)

// tables lists what describes itself, in an order in which each refers only to those before it. In this order a
// transaction writes what its changes have added, and a copy of the database is filled.
var tables = []engine.Described{
	&agentsTable,
	&keysTable,
	&respondersTable,
	&threadsTable,
	&participantsTable,
	&messagesTable,
	&filesTable,
	&carriedTable,
	&wordsTable,
	&deliveriesTable,
	&debtsTable,
	&claims,
	&closes,
	&logTable,
	&callsTable,
	&actsTable,
	&forgottenTable,
	&modelCallsTable,
	&eventsTable,
	&transcriptsTable,
	&tokenRecordsTable,
	&tokenDaysTable,
	&factsTable,
}

// nouns lists what followers read again, in this order.
var nouns = []reread{
	followedAgents,
	followedDeliveries,
	followedMessages,
	followedActs,
	followedSettings,
	followedPause,
}

// described returns what the nouns say about themselves to a database.
func (db *database) described() engine.Nouns {
	return engine.Nouns{Tables: tables, Rounds: roundsAfter, Ring: ringOf, Committed: func(t *tx) {
		db.inboxes.invalidate(staleInboxes(t))
	}}
}

// factsTable has facts about the whole workspace, by name. Some are about the database itself, and not copied.
var factsTable = engine.Table[struct{}]{Name: "facts", Key: []string{"name"},
	Which: `name NOT IN ('` + engine.OpenFact + `', '` + movedFact + `')`}

// movedFact keeps a daemon away from a database whose content was moved away. Its value names the other database.
const movedFact = "moved"

// shortfallFact is the name of the fact that holds the last shortfall until it is dismissed.
const shortfallFact = "shortfall"

// nanos returns a time as it is stored: in nanoseconds since 1970, 0 for the zero time. One that
// 64 bits do not reach, before 1677 or after 2262, becomes the nearest that they reach.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// instant returns a stored time, the zero time for 0.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// instantOrNil returns a stored time, nil for 0.
func instantOrNil(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := instant(n)
	return &t
}
