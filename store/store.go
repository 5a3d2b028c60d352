// Package store keeps a workspace in one database, a file of SQLite or one of PostgreSQL: agents, messages and their
// deliveries, threads, the agent log and the numbered events. What it has accepted is
// on the disk. It owns the schema and its migrations, the sequence of events, and the
// one goroutine that writes. No type and no error of the engine or of a driver leaves it.
//
// Each noun stands in files of its name, describes its table to the engine, and says what other hosts read again of it;
// schema.go lists both. SQL is run in one of two ways: see engine.Rows.
package store

// Store is an open database. Each of its fields reads and writes one part of it. Their
// methods may be called concurrently, and share one queue of writes. A failure of the
// database itself is STORAGE_UNAVAILABLE; later calls try again.
type Store struct {
	Agents        *Agents
	Keys          *Keys
	Responders    *Responders
	Messages      *Messages
	Idempotency   *Idempotency
	Inbox         *Inbox
	Deliveries    *Deliveries
	Holds         *Holds
	Hosts         *Hosts
	Relays        *Relays
	Needs         *Needs
	Debts         *Debts
	Threads       *Threads
	Conversations *Conversations
	Schedules     *Schedules
	Files         *Files
	Events        *Events
	Tokens        *Tokens
	Workspace     *Workspace

	db *database
}

// newStore returns a store whose parts share a database.
func newStore(db *database) *Store {
	return &Store{
		Agents:     &Agents{db},
		Keys:       &Keys{db},
		Responders: &Responders{db},

		Messages:      &Messages{db},
		Idempotency:   &Idempotency{db},
		Inbox:         &Inbox{db},
		Deliveries:    &Deliveries{db},
		Holds:         &Holds{db},
		Needs:         &Needs{db},
		Debts:         &Debts{db},
		Threads:       &Threads{db},
		Conversations: &Conversations{db},
		Schedules:     &Schedules{db},
		Files:         &Files{db},

		Hosts:     &Hosts{db},
		Relays:    &Relays{db},
		Events:    &Events{db},
		Tokens:    &Tokens{db},
		Workspace: &Workspace{db},
		db:        db,
	}
}

// Close writes what is queued, waits for it, and closes the file. Calls after
// it are STORAGE_UNAVAILABLE. It may be called again.
func (s *Store) Close() error { return s.db.close() }
