package courier

import (
	"context"
	"encoding/json"
	"log/slog"
	"parley"
	"parley/orchestrator/team"
	"parley/store"
	"sync"
	"time"
)

// Couriers runs one courier for each terminal agent.
type Couriers struct {
	Options
	host     host
	readings *readings
	Entered  func() // called when a text has its Enter; for benchmarks, may be nil

	mu      sync.Mutex
	cancels []context.CancelFunc
	closed  bool
	group   sync.WaitGroup

	turns struct { // that broadcasts began
		sync.Mutex
		last map[string]time.Time // by profile
	}
}

// Options are the services and settings that couriers use.
type Options struct {
	Store       Deliveries
	Roster      *team.Roster
	Now         func() time.Time
	Log         *slog.Logger
	ShortFooter bool                        // show the message id alone below a message
	Paused      func() *parley.Pause        // nil while messages may be typed
	Spent       func(agentID string) string // why a budget holds an agent's messages, "" if none does
	Notify      Notify
	Doors       Doors       // nil: programs are only typed to
	LeaseOver   func() bool // this daemon may not be the host any more; nil: it always is
}

// Notify sends parley's own notice to agents, once for each key. The error is
// COMMUNICATION_DISABLED while communication is paused.
type Notify func(ctx context.Context, to []*team.Member, text string, data json.RawMessage, key string) error

// courier is the only writer to one agent's terminal. Its fields are its own
// goroutine's.
type courier struct {
	o *Couriers
	m *team.Member

	seq      uint64         // the last pane sequence number given
	numbered bool           // seq was read off the pane
	behind   bool           // the database may hold what was not handed over, or was and could not be delivered
	open     bool           // a delivery may have been left in `typing`
	openOn   *team.Terminal // where; nil: by a daemon before this one
	blocked  bool           // the last look found what only the operator passes: a blocked program, a spent budget
	waiting  store.Key      // the message that a brief obstacle keeps waiting
	since    time.Time      // since when
	soon     bool           // it is expected to pass at any moment
	memory   memory         // of earlier attempts
	stranded *typed         // the text typed last, while it may stand in the terminal unproven; nil: it does not
	size     size           // of the terminal, at the last look
	ahead    foresight      // of the message that is being stored on the offer
	future   time.Time      // of a person's last key, if the last look found it there
	doors    doorway        // the own entrance of the program
	unread   []*typed       // entered but not seen to be read; proven if they are read after all
}

// foresight is a look that found the way free for a message, while that was being stored.
type foresight struct {
	messageID string
	on        *team.Terminal
	way       way
	began     time.Time
	ended     time.Time
}
