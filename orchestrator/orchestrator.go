// Package orchestrator implements parley.Service: one type per noun, over the
// packages below it that do the work. It starts and stops all long-lived goroutines: one
// courier per terminal agent, which is the only writer to that terminal, and the watcher,
// which keeps the agents' states up to date. The database is the queue. Everything kept in
// memory can be rebuilt from the database and from tmux.
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
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/agents"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/events"
	"parley/orchestrator/files"
	"parley/orchestrator/hosts"
	"parley/orchestrator/keys"
	"parley/orchestrator/messages"
	"parley/orchestrator/meter"
	"parley/orchestrator/needs"
	"parley/orchestrator/overlap"
	"parley/orchestrator/ports"
	"parley/orchestrator/pulls"
	"parley/orchestrator/relay"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/threads"
	"parley/orchestrator/trial"
	"parley/program/sessions"
	"parley/store"
	stored "parley/store/files"
)

var _ parley.Service = (*Orchestrator)(nil)

// Orchestrator is the daemon's parley.Service. It composes one type per noun with
// the packages that do the work, and owns all long-lived goroutines. Safe for concurrent use.
type Orchestrator struct {
	op.Handlers // of all operations

	Callers   *keys.Callers  // who calls
	Files     *files.Service // takes and gives out files
	Keys      *keys.Service  // lets the page in
	Workspace *hosts.Service // tells whether the daemon is well

	opts  Options
	store *store.Store
	now   func() time.Time
	log   *slog.Logger
	rooms rooms

	services services

	cancel context.CancelFunc // stops the goroutines in group
	group  sync.WaitGroup
}

// rooms are the parts of the daemon that the services share.
type rooms struct {
	roster     *team.Roster
	couriers   *courier.Couriers
	doors      *agents.Doors
	terminals  *terminal.Terminals
	talk       *talk.Talk
	responders *answer.Responders
	files      *stored.Store
	meter      *meter.Meter
	overlaps   *overlap.Watcher
	kept       *sessions.Archive
	pulls      *pulls.Watcher
	programs   *trial.Programs
	pause      *admission.Pause
	admission  *admission.Admission
	elsewhere  *relay.Elsewhere
}

// New connects to tmux, finds the agents that already run there, resolves what a crash left
// behind, and starts delivering. The error is TMUX_UNAVAILABLE when tmux is missing, too old or
// cannot be started.
func New(ctx context.Context, opts Options) (*Orchestrator, error) {
	opts.Settings.SetDefaults()
	opts.Boundary.Always = opts.Settings.Sandbox
	opts.Host = cmp.Or(opts.Store.Hosts.Team().Own, opts.Host)
	opts.State = cmp.Or(opts.State, filepath.Join(opts.Workspace, ".parley"))
	own := &ports.Registry{Path: filepath.Join(opts.State, "ports"), Owner: opts.Workspace}
	opts.Boundary.Ports = cmp.Or(opts.Boundary.Ports, own)
	opts.Boundary.Ports.First, opts.Boundary.Ports.Last = opts.Settings.PortsFrom, opts.Settings.PortsTo
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}

	o := &Orchestrator{opts: opts, store: opts.Store, log: opts.Log, now: opts.Now}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	clock, err := hosts.SeeClock(ctx, o.store)
	if err == nil {
		err = o.build(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	o.compose(running.Done())
	o.Workspace.Pruning = clock
	o.register()
	o.store.Hosts.Follow(o.follow)
	if err := o.start(ctx, running); err != nil {
		cancel()
		return nil, err
	}

	return o, nil
}

// compose creates the services. closing is closed when the daemon ends.
func (o *Orchestrator) compose(closing <-chan struct{}) {
	r := &o.rooms

	o.Callers = keys.NewCallers(r.roster, r.terminals)
	o.services.agents = &agents.Service{
		Store: o.store, Roster: r.roster, Programs: r.programs, Meter: r.meter, Settings: &o.opts.Settings,
		Host: o.opts.Host,
		Now:  o.now,
	}
	o.services.programs = &agents.Programs{Elsewhere: r.elsewhere, Roster: r.roster, Programs: r.programs}
	o.services.messages = messages.New(messages.Service{
		Admission: r.admission, Store: o.store, Roster: r.roster, Responders: r.responders, Talk: r.talk,
		Now: o.now, Log: o.log, Closing: closing,
	})
	o.services.schedules = messages.NewSchedules(o.services.messages, o, o.store.Hosts.Leads)
	plans := o.services.schedules.Timetable.Plans()
	o.services.agents.Planned = plans.Next
	o.services.worktrees = &agents.Worktrees{
		Elsewhere: r.elsewhere, Roster: r.roster, Terminals: r.terminals, Service: o,
		Workspace: o.opts.Workspace, Pulls: r.pulls,
	}
	o.services.sessions = &agents.Sessions{
		Elsewhere: r.elsewhere, Roster: r.roster, Profiles: o.opts.Profiles, Kept: r.kept,
	}
	o.services.terminals = &agents.Terminals{
		Elsewhere: r.elsewhere, Terminals: r.terminals, Roster: r.roster, Responders: r.responders,
		Admission: r.admission, Service: o, Worktrees: o.services.worktrees,
		Sessions: o.services.sessions,
	}
	o.services.handoffs = agents.NewHandoffs(o.services.terminals, o.log)
	o.services.threads = &threads.Service{
		Admission: r.admission, Store: o.store, Roster: r.roster, Talk: r.talk, Now: o.now, Log: o.log,
	}
	o.Files = &files.Service{
		Admission: r.admission, Store: o.store, Roster: r.roster, Files: r.files, Settings: &o.opts.Settings,
		Workspace: o.opts.Workspace, Private: append([]string{o.opts.State, o.opts.LaunchDir}, o.opts.Private...),
		Now: o.now, Log: o.log,
	}
	o.services.operator = &needs.Service{
		Elsewhere: r.elsewhere, Admission: r.admission, Store: o.store, Roster: r.roster, Talk: r.talk,
		Responders: r.responders, Terminals: r.terminals, Meter: r.meter, Overlaps: r.overlaps, Programs: r.programs,
		Plans: plans, Pause: r.pause, Settings: &o.opts.Settings, Away: &o.opts.Away, Now: o.now, Log: o.log,
		System: &needs.System{
			Info: &o.opts.Daemon.Info, Wrong: o.opts.Daemon.Wrong, Keeps: len(o.opts.Tmux.Keeper) > 0,
			Roster: r.roster, Terminals: r.terminals, Now: o.now,
		},
		Reminders: &needs.Reminders{
			Admission: r.admission, Store: o.store, Roster: r.roster, Talk: r.talk, Pause: r.pause,
			Settings: &o.opts.Settings, Now: o.now, Log: o.log,
		},
		Losses: &needs.Undelivered{Admission: r.admission, Store: o.store, Roster: r.roster, Pause: r.pause,
			Log: o.log},
		Agents: &needs.AgentNeeds{Elsewhere: r.elsewhere, Roster: r.roster, Settings: &o.opts.Settings, Now: o.now},
	}
	o.services.notices = &needs.Notices{Away: &o.opts.Away, Needs: o.services.operator, Store: o.store, Log: o.log}
	o.Keys = &keys.Service{
		Store: o.store, Roster: r.roster, Responders: r.responders, Service: o, Codes: o.opts.Away.Codes,
		Info: &o.opts.Daemon.Info, URL: o.opts.Settings.Web.URL, Workspace: o.opts.Workspace, Now: o.now, Log: o.log,
	}
	o.services.conversations = &threads.Conversations{
		Talk: r.talk, Responders: r.responders, Store: o.store, Roster: r.roster, Now: o.now, Log: o.log,
	}
	o.services.responders = &agents.Models{Responders: r.responders, Meter: r.meter, Roster: r.roster}
	o.services.events = &events.Service{
		Store: o.store, Roster: r.roster, Overlaps: r.overlaps, Meter: r.meter, Now: o.now, Closing: closing,
	}
	o.Workspace = &hosts.Service{
		Store: o.store, Roster: r.roster, Terminals: r.terminals, Admission: r.admission, Needs: o.services.operator,
		Ways: o.opts.Away.Ways, Pause: r.pause, Files: o.Files, Settings: &o.opts.Settings, Info: &o.opts.Daemon.Info,
		Workspace: o.opts.Workspace, Host: o.opts.Host, End: o.opts.Daemon.ShutDown,
		Now: o.now, Log: o.log, Away: hosts.NewInterval(hosts.AwayTime),
	}
}

// start recovers files, responders and terminals, and starts delivering and watching until
// running ends.
func (o *Orchestrator) start(ctx, running context.Context) error {
	err := o.Files.Tidy(ctx)
	if err == nil {
		o.Workspace.Warnings, err = o.rooms.responders.LoadDeclared(ctx)
	}
	if err == nil {
		err = o.rooms.terminals.Recover(ctx)
	}
	if err != nil {
		return errors.Join(err, o.rooms.terminals.Close())
	}

	for _, warning := range o.Workspace.Warnings {
		o.log.Warn(warning)
	}
	for _, m := range o.rooms.roster.All() {
		o.rooms.couriers.Start(m)
	}
	o.Workspace.Returned.Store(true)
	o.Workspace.KeepHosts(ctx)
	o.group.Go(func() { o.rooms.terminals.Watch(running) })
	o.group.Go(func() { o.services.handoffs.Run(running) })
	o.group.Go(func() { o.tick(running) })
	o.group.Go(func() { o.services.schedules.Timetable.Run(running, o.opts.Settings.Watch) })
	o.group.Go(func() { o.Workspace.ReportIncidents(running) })
	o.group.Go(func() { o.Workspace.KeepCopies(running) })
	o.group.Go(func() { o.Workspace.CheckStorage(running) })
	o.group.Go(func() { o.Workspace.Prune(running) })
	o.group.Go(func() { o.rooms.meter.Run(running) })
	o.group.Go(func() { o.rooms.overlaps.Run(running) })
	o.group.Go(func() { o.rooms.pulls.Run(running) })
	o.group.Go(func() { o.rooms.programs.Run(running) })
	o.group.Go(func() { o.rooms.kept.Run(running) })
	if o.store.Hosts.Team().Own != "" {
		taker := relay.Taker{
			Store: o.store, Roster: o.rooms.roster, Service: o, Refuse: o.opts.Settings.LocalActsOnly, Log: o.log,
		}
		o.group.Go(func() { taker.Run(running) })
	}
	if o.opts.Away.Notifier != nil {
		o.group.Go(func() { o.opts.Away.Notifier.Run(running) })
	}
	if o.opts.Away.Devices != nil {
		o.opts.Away.Devices.While(o.Keys.SessionLives)
		o.group.Go(func() { o.opts.Away.Push.Run(running) })
		o.group.Go(func() { o.services.notices.TellDevices(running) })
	}
	o.group.Go(func() { o.services.notices.Tell(running) })

	return nil
}

// StopAnswering cancels the answers that models are writing, and refuses further ones. The
// agents that wait for an answer are told before the daemon ends.
func (o *Orchestrator) StopAnswering() {
	if n := o.rooms.responders.InFlight(); n > 0 {
		o.log.Info("break off the answers of models", "messages", n)
	}
	o.rooms.responders.Stop()
}

// Close stops delivering between two messages, waits for all goroutines and disconnects from
// tmux. The agents go on running. The caller closes the store.
func (o *Orchestrator) Close() error {
	o.rooms.terminals.Ending()
	o.StopAnswering()
	o.cancel()
	o.rooms.responders.Close()
	o.group.Wait()
	o.rooms.couriers.Close()
	o.rooms.doors.Close()
	o.rooms.roster.Close()
	return o.rooms.terminals.Close()
}

// tick runs the periodic work until ctx ends: reminders and held messages at every tick,
// expired deliveries and stuck agents less often. Of several hosts, one does what concerns all.
func (o *Orchestrator) tick(ctx context.Context) {
	settings := &o.opts.Settings
	tick := time.NewTicker(settings.Watch)
	defer tick.Stop()
	chores := hosts.NewInterval(needs.ChoreTime)
	steering, guardian := hosts.NewInterval(min(needs.ChoreTime, settings.StuckAfter/2)),
		needs.NewGuardian(o.services.operator)

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		leads := o.Workspace.KeepHosts(ctx)
		if leads {
			o.services.operator.Reminders.Remind(ctx)
			o.services.conversations.RecheckHolds(ctx)
		} else {
			o.rooms.talk.Compare(ctx)
		}
		if chores.Due() {
			o.Workspace.Expire(ctx)
			if leads {
				o.services.operator.Losses.Tell(ctx)
			}
		}
		if settings.AutoSteer && steering.Due() {
			guardian.Guard(ctx)
		}
	}
}
