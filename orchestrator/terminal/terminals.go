package terminal

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// TerminalOptions is what terminals work with.
type Options struct {
	Store      *store.Store
	Roster     *team.Roster
	Couriers   *courier.Couriers
	Profiles   profile.Set
	Tmux       tmux.Options  // the workspace's own server; Notify is taken
	Workspace  string        // the project directory, absolute
	LaunchDir  string        // 0700: private files of launches and of agents
	Executable string        // parley itself, which agents are started through
	Spool      string        // reports of agents that found no daemon; "": none are kept
	Host       string        // this machine's name
	StopGrace  time.Duration // for a stopped agent's processes to end by themselves
	Watch      time.Duration // between two looks at all panes
	Now        func() time.Time
	Log        *slog.Logger
}

// Terminals are the terminals of all agents: parley's own tmux server and those of the
// user that adopted agents live on.
type Terminals struct {
	opts     Options
	store    *store.Store
	roster   *team.Roster
	couriers *courier.Couriers
	now      func() time.Time
	log      *slog.Logger

	tmux      *tmux.Server
	joined    joined
	watcher   *watcher
	launcher  *launcher
	adopter   *adopter
	look      chan struct{} // asks the watcher to look now
	ending    atomic.Bool   // shutting down: failures are not logged, nothing is launched
	adoptions atomic.Int64  // see Adoptions

	// AnswerTime is how long a person who wants to see a terminal waits for tmux.
	AnswerTime time.Duration
}

// watcher keeps the agents' states true.
type watcher struct {
	ts      *Terminals
	looks   sync.WaitGroup
	looking sync.Map // the servers that are being looked at
}

// adopter makes agents of programs that run already.
type adopter struct{ ts *Terminals }

// launcher starts programs in sessions of parley's own server.
type launcher struct {
	ts       *Terminals
	launches launches
}

// OpenTerminals connects to parley's own tmux server and starts it if necessary. The
// error is TMUX_UNAVAILABLE when tmux is missing, too old or cannot be started.
func Open(ctx context.Context, opts Options) (*Terminals, error) {
	if _, err := tmux.CheckVersion(ctx, opts.Tmux.Binary); err != nil {
		return nil, tmuxError(err)
	}

	t := &Terminals{
		opts: opts, store: opts.Store, roster: opts.Roster, couriers: opts.Couriers, now: opts.Now, log: opts.Log,
		look: make(chan struct{}, 1), AnswerTime: answerTime,
	}
	t.watcher, t.launcher, t.adopter = &watcher{ts: t}, &launcher{ts: t}, &adopter{t}
	t.joined.tmux, t.joined.roster = opts.Tmux, opts.Roster
	own := opts.Tmux
	own.Notify = t.notice

	var err error
	if t.tmux, err = tmux.Open(ctx, own); err != nil {
		return nil, tmuxError(err)
	}
	return t, nil
}

// Server returns parley's own tmux server.
func (ts *Terminals) Server() *tmux.Server { return ts.tmux }

// Ping returns nil when parley's own tmux server answers.
func (ts *Terminals) Ping(ctx context.Context) error {
	if err := ts.tmux.Ping(ctx); err != nil {
		return tmuxError(err)
	}
	return nil
}

// Recover finds the agents that run already, ends the panes of stopped agents, and takes
// the reports that agents made meanwhile. Couriers start after it.
func (ts *Terminals) Recover(ctx context.Context) error {
	if err := ts.readopt(ctx); err != nil {
		return err
	}
	ts.TakeSpool(ctx)
	ts.Sweep()
	return nil
}

// Close lets go of tmux; the agents live on. Watch must have ended.
func (ts *Terminals) Close() error {
	ts.ending.Store(true)
	return errors.Join(ts.joined.closeJoined(true), ts.tmux.Close())
}

// Ending tells the terminals that the daemon shuts down: nothing is launched any more, and
// failures are not logged.
func (ts *Terminals) Ending() { ts.ending.Store(true) }
