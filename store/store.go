// Package store keeps a workspace in one database, a file of SQLite or one of PostgreSQL: agents, messages and their
// deliveries, threads, the agent log and the numbered events. What it has accepted is
// on the disk. It owns the schema and its migrations, the sequence of events, and the
// one goroutine that writes. No type and no error of the engine or of a driver leaves it.
//
// Each noun stands in files of its name, describes its table to the engine, and says what other hosts read again of it;
// schema.go lists both. SQL is run in one of two ways: see engine.Rows.
package store

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"parley/store/engine"
)

// Store is an open database. Each of its fields reads and writes one part of it. Their
// methods may be called concurrently, and share one queue of writes. A failure of the
// database itself is STORAGE_UNAVAILABLE; later calls try again.
type Store struct {
	*Agents
	*Keys
	*Responders
	*Messages
	*Idempotency
	*Inbox
	*Deliveries
	*Holds
	*Hosts
	*Relays
	*Needs
	*Debts
	*Threads
	*Conversations
	*Files
	*Events
	*Tokens
	*Workspace

	*database
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
		Files:         &Files{db},

		Hosts:     &Hosts{db},
		Relays:    &Relays{db},
		Events:    &Events{db},
		Tokens:    &Tokens{db},
		Workspace: &Workspace{db},
		database:  db,
	}
}

// Close writes what is queued, waits for it, and closes the file. Calls after
// it are STORAGE_UNAVAILABLE. It may be called again.
func (s *Store) Close() error { return s.close() }

// Options say where the database is.
type Options struct {
	Path string // the database file; Open creates it when it is missing

	// URL names a PostgreSQL database, which is used in place of a file. Path then only tells this
	// daemon from others of the same machine.
	URL string

	// Host names this machine among those that share a PostgreSQL database; its own name if empty.
	Host string

	Copies Copies // automatic ones

	Now func() time.Time // the clock; time.Now if nil
	Log *slog.Logger     // for what needs no answer; nothing is logged if nil
}

func (o *Options) clock() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Copies says where automatic copies of the database lie, and how many are kept.
type Copies = engine.Copies

// Copy is an automatic copy of the database, which was checked when it was made.
type Copy = engine.Copy

// Workspace keeps what concerns the workspace as a whole: its pause, its counts, and the
// database itself.
type Workspace struct{ *database }

// Ping returns nil when the database can be read, and the last change did not fail for want of room.
func (s *Workspace) Ping(ctx context.Context) error {
	if err := cmp.Or(s.Refusal(), s.Full()); err != nil {
		return err
	}
	var n int64
	return s.read(ctx, "reading the database", &n, `SELECT count(*) FROM (SELECT 1 FROM agents LIMIT 1) a`)
}

// Incidents tells what happened to the database's files while they were open, in words for
// the operator. The channel is never closed.
func (s *Workspace) Incidents() <-chan string { return s.base.Safety.News }

// Vanished is closed when the database's files were removed or replaced while they were open, and what
// they held is saved. The next Open goes on with that.
func (s *Workspace) Vanished() <-chan struct{} { return s.base.Safety.Saved }

// Refusal returns why the store accepts nothing more, nil while all is well.
func (s *Workspace) Refusal() error {
	if err := s.base.Safety.Refusal(); err != nil {
		return failure(s.base.Path, "writing to the database", err)
	}
	return nil
}

// Full returns how the last change failed for want of room on the disk, nil while there is room.
func (s *Workspace) Full() error {
	if err := s.base.Safety.Full(); err != nil {
		return failure(s.base.Path, "writing to the database", err)
	}
	return nil
}

// tx is one transaction.
type tx = engine.Tx

// querier reads in a transaction, or outside of one.
type querier = engine.Querier

// The nouns in a transaction. What is done about one there stands in the files of that noun.
type (
	agentsIn     struct{ *tx }
	deliveriesIn struct{ *tx }
	filesIn      struct{ *tx }
	hostsIn      struct{ *tx } // the other hosts
	keysIn       struct{ *tx } // to the API
	respondersIn struct{ *tx }
	threadsIn    struct{ *tx }
)
