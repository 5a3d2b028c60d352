// Package orchestrator is the service itself, and owns all long-lived
// goroutines: one courier per terminal agent, the only writer to that terminal,
// and the watcher, which keeps the agents' states true. The database is the
// queue; what is kept in memory can be rebuilt from it and from tmux.
package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"parley"
	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// Options is what the service is made of.
type Options struct {
	Store      *store.Store
	Tmux       tmux.Options // the workspace's own server; Notify is taken
	Profiles   profile.Set
	Workspace  string   // the project directory, absolute
	LaunchDir  string   // 0700: private files of launches and of agents
	Executable string   // parley itself, which agents are started through
	State      string   // the directory of the database: files are kept in it; .parley in Workspace by default
	Private    []string // directories, beside State and LaunchDir, that nothing is sent from
	Spool      string   // reports of agents that found no daemon; "": none are kept
	Host       string
	Settings   Settings
	Info       parley.WorkspaceStatusResult // what the daemon knows of itself
	ShutDown   func()                       // ends the daemon; called once, when asked to
	Now        func() time.Time             // default time.Now
	Log        *slog.Logger                 // default: none
	Model      answer.Model                 // answers for responders; nil: none does
	Responders []parley.DeclaredResponder   // those of the team's file
}

// Orchestrator is parley.Service in the daemon.
type Orchestrator struct {
	opts   Options
	store  *store.Store
	files  *files.Store
	roster *team.Roster
	quotas quotas
	log    *slog.Logger
	now    func() time.Time

	ctx       context.Context // of the goroutines; ended by Close
	cancel    context.CancelFunc
	group     sync.WaitGroup
	pause     pause
	couriers  *courier.Couriers
	terminals *terminal.Terminals
	doors     doors
	talk      *talk.Talk

	responders *answer.Responders
	warnings   []string // of the start
}

// every calls do again and again until the daemon ends.
func (o *Orchestrator) every(pause time.Duration, do func(context.Context)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-o.ctx.Done():
			return
		case <-tick.C:
			do(o.ctx)
		}
	}
}

var _ parley.Service = (*Orchestrator)(nil)

// New connects to tmux, finds the agents that run there again, resolves what a
// crash left behind, and starts delivering. The error is TMUX_UNAVAILABLE when
// tmux is missing, too old or cannot be started.
func New(ctx context.Context, opts Options) (*Orchestrator, error) {
	opts.Settings.setDefaults()
	opts.State = cmp.Or(opts.State, filepath.Join(opts.Workspace, ".parley"))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}

	o := &Orchestrator{opts: opts, store: opts.Store, log: opts.Log, now: opts.Now}
	o.ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := o.start(ctx); err != nil {
		o.cancel()
		return nil, err
	}

	return o, nil
}

func (o *Orchestrator) start(ctx context.Context) error {
	var err error
	if o.roster, err = team.Load(ctx, o.store, o.now, o.log); err != nil {
		return err
	}
	if err := o.roster.Titles.Load(ctx, o.store); err != nil {
		return err
	}
	o.couriers = courier.New(courier.Options{
		Store: o.store, Roster: o.roster, Now: o.now, Log: o.log, ShortFooter: o.opts.Settings.ShortFooter(),
		Paused: o.pause.is, Notify: o.notify,
	})
	if o.files, err = files.Open(o.opts.State, o.opts.Settings.maxFile()); err != nil {
		return err
	}
	if err := o.tidyFiles(ctx); err != nil {
		return err
	}
	if err := o.roster.EnsureOperator(ctx); err != nil {
		return err
	}
	o.talk, err = talk.Load(ctx, talk.Options{
		Store: o.store, Roster: o.roster, Settings: o.opts.Settings.Conversation, Now: o.now, Log: o.log,
	})
	if err != nil {
		return err
	}
	if err := o.loadPause(ctx); err != nil {
		return err
	}
	if err := o.loadResponders(ctx); err != nil {
		return err
	}
	o.terminals, err = terminal.Open(ctx, terminal.Options{
		Store: o.store, Roster: o.roster, Couriers: o.couriers, Profiles: o.opts.Profiles, Tmux: o.opts.Tmux,
		Workspace: o.opts.Workspace, LaunchDir: o.opts.LaunchDir, Executable: o.opts.Executable, Spool: o.opts.Spool,
		Host: o.opts.Host, StopGrace: o.opts.Settings.StopGrace, Watch: o.opts.Settings.Watch, Now: o.now, Log: o.log,
	})
	if err != nil {
		return err
	}
	if err := o.terminals.Recover(ctx); err != nil {
		return errors.Join(err, o.terminals.Close())
	}
	for _, m := range o.roster.All() {
		o.couriers.Start(m)
	}

	o.group.Go(func() { o.terminals.Watch(o.ctx) })
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.remind) })
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.recheckHolds) })
	o.group.Go(func() { o.every(choreTime, o.expire) })
	if o.opts.Settings.AutoSteer {
		o.group.Go(o.guard)
	}

	return nil
}

// StopAnswering breaks off what models are being asked, and lets nobody ask them any
// more: who waits for an answer is told before the daemon is gone.
func (o *Orchestrator) StopAnswering() {
	if n := o.responders.InFlight(); n > 0 {
		o.log.Info("break off the answers of models", "messages", n)
	}
	o.responders.Stop()
}

// Close stops delivering between two messages and lets go of tmux. The agents
// live on. The store stays open: it is the caller's.
func (o *Orchestrator) Close() error {
	o.terminals.Ending()
	o.StopAnswering()
	o.cancel()
	o.responders.Close()
	o.group.Wait()
	o.couriers.Close()
	o.roster.Close()
	return o.terminals.Close()
}
