package terminal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"parley/orchestrator/team"
	"parley/tmux"
)

// Open connects to parley's own tmux server and starts it if necessary. The error is
// TMUX_UNAVAILABLE when tmux is missing, too old or cannot be started.
func Open(ctx context.Context, opts Options) (*Terminals, error) {
	if _, err := tmux.CheckVersion(ctx, opts.Tmux.Binary); err != nil {
		return nil, tmuxError(err)
	}

	if opts.Boundary.Sockets == nil {
		opts.Boundary.Sockets = noSockets{}
	}
	t := &Terminals{
		opts: opts, store: opts.Store, roster: opts.Roster, couriers: opts.Couriers, now: opts.Now, log: opts.Log,
		AnswerTime: answerTime,
	}
	var err error
	if t.places, err = team.LoadPlaces(ctx, opts.Store); err != nil {
		return nil, err
	}
	t.Ports = &Ports{registry: opts.Boundary.Ports, roster: opts.Roster}
	t.watcher = &watcher{ts: t, look: make(chan struct{}, 1)}
	t.launcher, t.adopter, t.stopper, t.sessions = &launcher{ts: t}, &adopter{t}, &stopper{t}, &sessions{t}
	t.spool = &spoolReader{ts: t, path: opts.Spool, own: opts.Boundary.Sockets.Spools}
	t.userServers.tmux, t.userServers.roster = opts.Tmux, opts.Roster

	own := opts.Tmux
	own.Notify = t.watcher.notice

	if t.tmux, err = tmux.Open(ctx, own); err != nil {
		return nil, tmuxError(err)
	}

	return t, nil
}

// Server returns parley's own tmux server.
func (ts *Terminals) Server() *tmux.Server { return ts.tmux }

// Ping returns nil when parley's own tmux server answers, else TMUX_UNAVAILABLE.
func (ts *Terminals) Ping(ctx context.Context) error {
	if err := ts.tmux.Ping(ctx); err != nil {
		return tmuxError(err)
	}
	return nil
}

// Recover finds the agents that run already, ends the panes of stopped agents, takes the reports that
// agents made in the meantime, and removes left-over files. Couriers must start after it.
func (ts *Terminals) Recover(ctx context.Context) error {
	if err := (recovery{ts}).agents(ctx); err != nil {
		return err
	}
	ts.spool.take(ctx)
	ts.Sweep()
	if err := ts.Ports.keep(ctx); err != nil {
		ts.log.Warn("give back left-over ports", "error", err)
	}
	return nil
}

// Close disconnects from all tmux servers; the agents run on. Parley's own server goes with a workspace that was
// removed, if no program runs there any more. Watch must have ended.
func (ts *Terminals) Close() error {
	ts.ending.Store(true)
	err := ts.userServers.closeUnused(true)

	ctx, cancel := context.WithTimeout(context.Background(), looksUnused)
	defer cancel()
	if _, gone := os.Lstat(ts.opts.Workspace); errors.Is(gone, fs.ErrNotExist) {
		if unused, looked := ts.tmux.Unused(ctx); looked == nil && unused {
			return errors.Join(err, ts.tmux.Shutdown(ctx))
		}
	}
	return errors.Join(err, ts.tmux.Close())
}

// looksUnused is how long the end of a daemon may take to look whether its tmux server is used, and to end that.
const looksUnused = 5 * time.Second

// Ending tells the terminals that the daemon is shutting down: launches and adoptions are refused and
// failures are not logged from then on.
func (ts *Terminals) Ending() { ts.ending.Store(true) }
