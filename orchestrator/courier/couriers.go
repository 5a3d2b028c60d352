package courier

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
)

// Couriers runs one courier for each terminal agent.
type Couriers struct {
	Options
	host     host
	readings *sight.Readings
	calls    calls
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

// post is what all floors of a courier serve.
type post struct {
	o *Couriers
	m *team.Member
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
	Doors       Doors // nil: programs are only typed to
	// Beckon has hooks in the turn of an agent's program ask for a message, or no longer; nil: none asks.
	Beckon    func(agentID string, up bool)
	LeaseOver func() bool // this daemon may not be the host any more; nil: it always is
}

// Notify sends parley's own notice to agents, once for each key. The error is
// COMMUNICATION_DISABLED while communication is paused.
type Notify func(ctx context.Context, to []*team.Member, text string, data json.RawMessage, key string) error

// New returns couriers that do nothing until Start.
func New(opts Options) *Couriers {
	o := &Couriers{
		Options: opts, readings: sight.NewReadings(sight.ManyReadings),
		host: machine{sight.NewMachine(), opts.Doors, opts.Beckon},
	}
	o.turns.last = map[string]time.Time{}
	return o
}

// Call waits until the courier of m gives a hook a letter, or has none for it, or ctx ends, which is when the hook goes
// on. again says that the turn which ends there is one that a hook has made go on.
func (o *Couriers) Call(ctx context.Context, m *team.Member, call *door.Call, again bool) (l door.Letter, taken bool) {
	if !o.calls.add(m.ID, call, again) {
		return l, false
	}
	m.Wake()

	select {
	case l = <-call.Taken():
		taken = true
	case <-call.Passed():
	case <-ctx.Done():
	}
	o.calls.end(m.ID, call, taken)

	return l, taken
}
