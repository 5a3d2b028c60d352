package orchestrator

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// TerminalOptions is what terminals work with.
type TerminalOptions struct {
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
	opts     TerminalOptions
	store    *store.Store
	roster   *team.Roster
	couriers *courier.Couriers
	now      func() time.Time
	log      *slog.Logger

	tmux      *tmux.Server
	joined    joined
	launches  launches
	look      chan struct{} // asks the watcher to look now
	ending    atomic.Bool   // shutting down: failures are not logged, nothing is launched
	adoptions atomic.Int64  // see Adoptions

	// AnswerTime is how long a person who wants to see a terminal waits for tmux.
	AnswerTime time.Duration
}

// OpenTerminals connects to parley's own tmux server and starts it if necessary. The
// error is TMUX_UNAVAILABLE when tmux is missing, too old or cannot be started.
func OpenTerminals(ctx context.Context, opts TerminalOptions) (*Terminals, error) {
	if _, err := tmux.CheckVersion(ctx, opts.Tmux.Binary); err != nil {
		return nil, TmuxError(err)
	}

	t := &Terminals{
		opts: opts, store: opts.Store, roster: opts.Roster, couriers: opts.Couriers, now: opts.Now, log: opts.Log,
		look: make(chan struct{}, 1), AnswerTime: answerTime,
	}
	own := opts.Tmux
	own.Notify = t.notice

	var err error
	if t.tmux, err = tmux.Open(ctx, own); err != nil {
		return nil, TmuxError(err)
	}
	return t, nil
}

// Server returns parley's own tmux server.
func (t *Terminals) Server() *tmux.Server { return t.tmux }

// Ping returns nil when parley's own tmux server answers.
func (t *Terminals) Ping(ctx context.Context) error {
	if err := t.tmux.Ping(ctx); err != nil {
		return TmuxError(err)
	}
	return nil
}
