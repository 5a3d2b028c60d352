// Package orchestrator is the service itself, and owns all long-lived
// goroutines: one courier per terminal agent, the only writer to that terminal,
// and the watcher, which keeps the agents' states true. The database is the
// queue; what is kept in memory can be rebuilt from it and from tmux.
package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/conversation"
	"parley/files"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
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

// Settings are the numbers a team may want otherwise. Zero values are the
// defaults.
type Settings struct {
	MaxText     int           // characters of a message; 2,000
	ShortFooter bool          // show the message id alone below a message
	ExpireAfter time.Duration // how long a delivery may wait; 24 h
	StopGrace   time.Duration // how long a stopped agent's processes have to end by themselves; 3 s
	Watch       time.Duration // between two looks at all panes; 1 s
	DraftAfter  time.Duration // how long what a person left in a terminal may hold messages back; 5 min
	StuckAfter  time.Duration // how long an agent may be busy without any output; 10 min
	OwesAfter   time.Duration // how long an idle agent may leave a request unanswered; 10 min
	AutoSteer   bool          // give stuck agents guidance

	MessagesPerMinute      int           // of one sender; 120
	BroadcastsPerMinute    int           // of one sender; 30
	RegistrationsPerMinute int           // from one address; 30
	ResponseDeadline       time.Duration // for a required response without one; 30 min
	RemindBefore           time.Duration // how long before it who owes it is reminded; 5 min, and half of the time at most
	TellSenderAfter        time.Duration // how long after it the sender is told; 1 min
	OverdueAfter           time.Duration // how long after it the operator is told; 10 min
	MaxFile                int64         // bytes of the largest file that is kept; 100 MB
	ModelTimeout           time.Duration // how long a responder's model has to answer; 50 s
	ModelCalls             int           // of one responder at once; 4

	Conversation conversation.Settings // what agents may say to each other before a person speaks again
}

func (s *Settings) setDefaults() {
	setDefault(&s.MaxText, 2000)
	setDefault(&s.ExpireAfter, 24*time.Hour)
	setDefault(&s.StopGrace, 3*time.Second)
	setDefault(&s.Watch, time.Second)
	setDefault(&s.DraftAfter, 5*time.Minute)
	setDefault(&s.StuckAfter, 10*time.Minute)
	setDefault(&s.OwesAfter, 10*time.Minute)
	setDefault(&s.MessagesPerMinute, defaultMessages)
	setDefault(&s.BroadcastsPerMinute, defaultBroadcasts)
	setDefault(&s.RegistrationsPerMinute, defaultRegistrations)
	setDefault(&s.ResponseDeadline, 30*time.Minute)
	setDefault(&s.RemindBefore, 5*time.Minute)
	setDefault(&s.TellSenderAfter, time.Minute)
	setDefault(&s.OverdueAfter, 10*time.Minute)
	setDefault(&s.ModelCalls, 4)                // as many as a small local server works on
	setDefault(&s.ModelTimeout, 50*time.Second) // clients of MCP wait a minute for a tool
}

func setDefault[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

// Orchestrator is parley.Service in the daemon.
type Orchestrator struct {
	opts     Options
	store    *store.Store
	files    *files.Store
	tmux     *tmux.Server
	joined   joined
	roster   *team.Roster
	launches launches
	quotas   quotas
	log      *slog.Logger
	now      func() time.Time

	ctx      context.Context // of the goroutines; ended by Close
	cancel   context.CancelFunc
	group    sync.WaitGroup
	look     chan struct{} // asks the watcher to look now
	ending   atomic.Bool   // what breaks from now on is no news
	pause    pause
	couriers *courier.Couriers
	doors    doors
	talk     *talk.Talk

	answerTime time.Duration // how long a person who wants to see a terminal waits for tmux

	responders *answer.Responders
	warnings   []string // of the start

	adoptions atomic.Int64 // see Adoptions

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
	setDefault(&opts.State, filepath.Join(opts.Workspace, ".parley"))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}

	o := &Orchestrator{opts: opts, store: opts.Store, log: opts.Log, now: opts.Now,
		look: make(chan struct{}, 1), answerTime: answerTime}
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
		Store: o.store, Roster: o.roster, Now: o.now, Log: o.log, ShortFooter: o.opts.Settings.ShortFooter,
		Paused: o.pause.is, Notify: o.notify,
	})
	if o.files, err = files.Open(o.opts.State, o.opts.Settings.MaxFile); err != nil {
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
	if _, err := tmux.CheckVersion(ctx, o.opts.Tmux.Binary); err != nil {
		return tmuxError(err)
	}

	topts := o.opts.Tmux
	topts.Notify = o.notice
	if o.tmux, err = tmux.Open(ctx, topts); err != nil {
		return tmuxError(err)
	}
	if err := o.readopt(ctx); err != nil {
		return errors.Join(err, o.closeJoined(true), o.tmux.Close())
	}

	o.takeSpool(ctx) // before the couriers look into what was left in their hands
	for _, m := range o.roster.All() {
		o.couriers.Start(o.ctx, m)
	}

	o.sweep()
	o.group.Go(o.watch)
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.takeSpool) })
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.lookAtJoined) })
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.remind) })
	o.group.Go(func() { o.every(o.opts.Settings.Watch, o.recheckHolds) })
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
	o.ending.Store(true)
	o.StopAnswering()
	o.cancel()
	o.responders.Close()
	o.group.Wait()
	o.couriers.Wait()
	o.roster.Close()
	return errors.Join(o.closeJoined(true), o.tmux.Close())
}

// tmuxError says what to do about a tmux that cannot be used.
func tmuxError(err error) error {
	e := parley.Errorf(parley.TmuxUnavailable, "%w", err)
	switch {
	case errors.Is(err, tmux.ErrNotInstalled):
		return e.Suggest(
			"Install tmux 3.2 or later with your package manager (apt-get, dnf, pacman or brew install tmux).",
		)
	case errors.Is(err, tmux.ErrTooOld):
		return e.Suggest("Install tmux 3.2 or later.")
	}
	return e.Suggest("See whether tmux runs (tmux -V); parley status names the server's socket.")
}

// terminalError turns what tmux said about an agent's pane into a typed error.
func terminalError(m *team.Member, err error) error {
	switch {
	case errors.Is(err, tmux.ErrNoPane), errors.Is(err, tmux.ErrNoSession):
		return parley.Errorf(parley.AgentUnavailable, "agent %s has no terminal", m.Name).
			Suggest("Start it again: parley restart %s", m.Name)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("terminal of %s: %w", m.Name, err)
	}
	return tmuxError(err)
}
