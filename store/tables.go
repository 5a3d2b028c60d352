package store

import (
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
	&schedulesTable,
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
	followedSchedules,
}

// described returns what the nouns say about themselves to a database.
func (db *database) described() engine.Nouns {
	return engine.Nouns{Tables: tables, Rounds: roundsAfter, Ring: ringOf, Committed: func(t *tx) {
		db.inboxes.invalidate(staleInboxes(t))
	}}
}
