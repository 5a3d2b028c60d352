package terminal

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/ports"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// Options holds the settings and the dependencies of Terminals. All of them are required, except
// Spool, TypedAs, Prompt and Does.
type Options struct {
	Store      *store.Store
	Roster     *team.Roster
	Couriers   *courier.Couriers
	Profiles   profile.Set
	Tmux       tmux.Options // of parley's own server; Notify is overwritten
	Workspace  string       // the project directory, absolute
	LaunchDir  string       // 0700: private files of launches and of agents
	Executable string       // the parley binary, through which agents are started
	Boundary   Boundary
	Spool      string        // file with the reports of agents that found no daemon; "" for none
	Host       string        // this machine's name
	StopGrace  time.Duration // how long a stopped agent's processes may take to end by themselves
	Watch      time.Duration // interval between two looks at all panes
	Now        func() time.Time
	Log        *slog.Logger

	// TypedAs returns the profile by which a member's program is typed to now: the one that it has, or a more careful
	// one. nil: always the one that it has.
	TypedAs func(m *team.Member, has *profile.Profile) *profile.Profile

	// Prompt stores the first prompt of a launch as a message of the caller's, and claims it where it is to go as the
	// program's argument. The caller holds m.Typing. nil: prompts are sent once the program runs.
	Prompt func(ctx context.Context, m *team.Member, p *profile.Profile, first First, argument bool) Prompt

	// Does returns what the program in a member's terminal says by itself that it does. nil: nothing is asked.
	Does func(ctx context.Context, m *team.Member, t *team.Terminal) door.Doing

	// RedrawAfter is how long a screen must be of no use before its program is made to draw it again.
	RedrawAfter time.Duration

	Keyboard bool // a session of the page may type
}

// Terminals manages the terminals of all agents: on parley's own tmux server, and on those of the user
// where adopted agents live. It is safe for concurrent use.
type Terminals struct {
	placing

	opts     Options
	store    *store.Store
	roster   *team.Roster
	couriers *courier.Couriers
	now      func() time.Time
	log      *slog.Logger

	places      *team.Places
	tmux        *tmux.Server
	userServers userServers
	watcher     *watcher
	launcher    *launcher
	adopter     *adopter
	stopper     *stopper
	sessions    *sessions
	spool       *spoolReader
	Ports       *Ports
	keyboard    keyboard
	ending      atomic.Bool // shutting down: failures are not logged, nothing is launched

	// AnswerTime bounds how long a person who wants to see a terminal waits for tmux. It is set before
	// the first call.
	AnswerTime time.Duration
}

// watcher keeps the agents' states up to date.
type watcher struct {
	ts      *Terminals
	look    chan struct{} // makes it look now
	looks   sync.WaitGroup
	looking sync.Map // holds the *tmux.Server values that are being looked at
	failing sync.Map // holds why agents cannot be observed, by their IDs
}

// adopter makes members of programs that the user has started in tmux.
type adopter struct{ ts *Terminals }

// stopper ends the programs of members and takes their terminals from them.
type stopper struct{ ts *Terminals }

// sessions finds out which sessions the programs of members are in.
type sessions struct{ ts *Terminals }

// launcher starts programs in sessions of parley's own server.
type launcher struct {
	ts       *Terminals
	launches launches
}

// refuseEnding returns DAEMON_UNAVAILABLE when the daemon is shutting down.
func (ts *Terminals) refuseEnding() error {
	if !ts.ending.Load() {
		return nil
	}
	return parley.Errorf(parley.DaemonUnavailable, "parley is ending").Suggest("Start it again: parley up.")
}

// launches remembers how this daemon launched its members.
type launches struct {
	mu   sync.Mutex
	byID map[string]*launch // by the member's id
}

// Sockets are those of launched agents, each its own.
type Sockets interface {
	// Open listens on the socket of an agent, unless that is done, and returns its directory, which stays the same.
	Open(agentID string) (dir string, err error)
	// Beckon makes a file beside the socket of an agent, or removes it: hooks in a turn ask while it is there.
	Beckon(agentID string, up bool) error
	// Remove ends the socket of an agent that has ended.
	Remove(agentID string) error
	// Spools returns files with reports that found no daemon.
	Spools() []string
}

// Boundary is what lies between agents and what is the user's, and between workspaces.
type Boundary struct {
	Sockets Sockets  // of launched agents; nil: they have none of their own
	Hidden  []string // directories of parley's that no sandbox shows
	Always  bool     // every launch is in a sandbox
	Home    string   // the user's, from which a sandbox gets its program's settings; "": none
	Ports   *ports.Registry
}

// spoolReader takes the reports out of the spool.
type spoolReader struct {
	ts   *Terminals
	path string          // "": there is none
	own  func() []string // those beside the sockets of agents; nil: none
}

// keyboard remembers who typed last into which terminal from elsewhere.
type keyboard struct {
	mu   sync.Mutex
	last map[string]pressed // by agents' ids
}

type pressed struct {
	session string
	at      time.Time
}

// userServers holds the connections to the user's tmux servers on which adopted agents live. They are
// opened when needed and closed when no agent lives there.
type userServers struct {
	mu      sync.Mutex
	servers map[string]*tmux.Server // by the paths of their sockets
	inUse   map[*tmux.Server]int    // the number of calls in progress

	tmux   tmux.Options // of parley's own server
	roster *team.Roster
}

// First is the first prompt of a launch. With an idempotency key it goes before all that waits.
type First struct {
	Text  string // "": there is none
	Key   string
	About string // the message's context reference
}

// Prompt is the first prompt of a launch as a message. It goes as an argument of the program where that has one: it is
// claimed before the program starts, and never typed after that unless the operator asks for it.
type Prompt struct {
	MessageID string // "" if there is none
	Text      string // as the program's argument; "": it is typed
	Mark      string // in its footer
	Key       store.Key
}

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
