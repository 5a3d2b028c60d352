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
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley"
	"parley/op"
	"parley/orchestrator/answer"
	"parley/orchestrator/courier"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/relay"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/store"
	"parley/store/files"
)

var _ parley.Service = (*Orchestrator)(nil)

// Orchestrator is the daemon's parley.Service. It composes one type per noun with
// the packages that do the work, and owns all long-lived goroutines. Safe for concurrent use.
type Orchestrator struct {
	op.Handlers // of all operations

	Callers   *callers          // who calls
	Files     *fileService      // takes and gives out files
	Keys      *keyService       // lets the page in
	Workspace *workspaceService // tells whether the daemon is well

	opts  Options
	store *store.Store
	now   func() time.Time
	log   *slog.Logger
	rooms rooms

	services services

	cancel context.CancelFunc // stops the goroutines in group
	group  sync.WaitGroup
}

// services do the operations, a noun each.
type services struct {
	agents        *agentService
	programs      *programService
	terminals     *terminalService
	worktrees     *worktreeService
	messages      *messageService
	threads       *threadService
	operator      *operatorService
	conversations *conversationService
	responders    *responderService
	events        *eventService
}

// rooms are the parts of the daemon that the services share.
type rooms struct {
	roster     *team.Roster
	couriers   *courier.Couriers
	entrances  *entrances
	terminals  *terminal.Terminals
	talk       *talk.Talk
	responders *answer.Responders
	files      *files.Store
	meter      *meter.Meter
	overlaps   *overlap.Watcher
	programs   *trial.Programs
	pause      *pause
	admission  *admission
	elsewhere  *elsewhere
	clock      cautiousClock // of prune
}

// choreTime is the interval between looks for expired deliveries and unused files.
const choreTime = 30 * time.Second

// New connects to tmux, finds the agents that already run there, resolves what a crash left
// behind, and starts delivering. The error is TMUX_UNAVAILABLE when tmux is missing, too old or
// cannot be started.
func New(ctx context.Context, opts Options) (*Orchestrator, error) {
	opts.Settings.setDefaults()
	opts.Boundary.Always = opts.Settings.Sandbox
	opts.Host = cmp.Or(opts.Store.Team().Own, opts.Host)
	opts.State = cmp.Or(opts.State, filepath.Join(opts.Workspace, ".parley"))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}

	o := &Orchestrator{opts: opts, store: opts.Store, log: opts.Log, now: opts.Now}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	err := o.seeClock(ctx)
	if err == nil {
		err = o.load(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	o.compose(running.Done())
	o.register()
	o.store.Follow(o.follow)
	if err := o.start(ctx, running); err != nil {
		cancel()
		return nil, err
	}

	return o, nil
}

// load builds the shared parts, and reads from the database the state that they keep in memory.
func (o *Orchestrator) load(ctx context.Context) (err error) {
	ssh, err := parseSSH(o.opts.Settings.HostSSH)
	if err != nil {
		return err
	}
	if o.rooms.roster, err = team.Load(ctx, o.store, o.now, o.log); err != nil {
		return err
	}
	inRoot := filepath.Join(o.opts.Workspace, ".parley")
	o.rooms.roster.InvitationLife = o.opts.Settings.InvitationLife
	o.rooms.elsewhere = &elsewhere{o.store, o.rooms.roster, o.opts.Host, ssh}
	if err := o.rooms.roster.Titles.Load(ctx, o.store); err != nil {
		return err
	}
	if err := o.rooms.roster.EnsureOperator(ctx, o.opts.OperatorKey); err != nil {
		return err
	}

	received := filepath.Join(inRoot, "received")
	if o.rooms.files, err = files.Open(o.opts.State, received, o.opts.Settings.maxFile()); err != nil {
		return err
	}
	if o.rooms.pause, err = loadPause(ctx, o.store); err != nil {
		return err
	}
	o.rooms.talk, err = talk.Load(ctx, talk.Options{
		Store: o.store, Roster: o.rooms.roster, Settings: o.opts.Settings.Conversation, Now: o.now, Log: o.log,
	})
	if err != nil {
		return err
	}

	o.rooms.admission = &admission{
		addressees: &addressees{o.rooms.roster},
		access:     &access{o.store, o.rooms.roster},
		copies:     &copies{o.store, o.rooms.roster, o.rooms.files},
		pause:      o.rooms.pause,
		limits:     &limits{settings: &o.opts.Settings, now: o.now},
		store:      o.store, roster: o.rooms.roster, talk: o.rooms.talk, settings: &o.opts.Settings, now: o.now,
	}
	o.rooms.responders = answer.New(answer.Options{
		Store: o.store, Roster: o.rooms.roster, Admission: o.rooms.admission, Tools: o, Model: o.opts.Model,
		Declared: o.opts.Responders, Host: o.opts.Host, Timeout: o.opts.Settings.ModelTimeout,
		MaxCalls: o.opts.Settings.ModelCalls, Now: o.now, Log: o.log,
	})
	o.rooms.admission.responders = o.rooms.responders
	o.rooms.overlaps = overlap.New(overlap.Options{
		Store: o.store, Roster: o.rooms.roster, Mode: o.opts.Settings.Overlaps, Notify: o.noticeOfOverlap,
		Now: o.now, Log: o.log,
	})
	env := terminal.Inherited(os.Environ())
	o.rooms.programs = trial.NewPrograms(o.rooms.roster, o.opts.Profiles, o.opts.Settings.Checks, env, o.now, o.log)
	o.rooms.meter = meter.New(meter.Options{
		Store: o.store, Roster: o.rooms.roster, Forms: o.opts.Profiles.Transcript,
		Prices: o.opts.Costs.Prices, Team: o.opts.Costs.Team,
		Agents: o.opts.Costs.Agents, Pause: o.pauseForBudget, Edited: o.rooms.overlaps.Note, Now: o.now, Log: o.log,
	})
	o.rooms.entrances = &entrances{
		dir: o.opts.LaunchDir, checks: o.opts.Settings.Checks,
		open: map[string]*keptDoor{}, asked: map[string]asked{},
	}
	o.rooms.couriers = courier.New(courier.Options{
		Store: o.store, Roster: o.rooms.roster, Now: o.now, Log: o.log, ShortFooter: o.opts.Settings.ShortFooter(),
		Paused: o.rooms.pause.is, Spent: o.rooms.meter.Hold, Notify: o.rooms.admission.notify,
		LeaseOver: o.store.LeaseOver, Doors: o.rooms.entrances.at,
	})
	o.rooms.terminals, err = terminal.Open(ctx, terminal.Options{
		Store: o.store, Roster: o.rooms.roster, Couriers: o.rooms.couriers,
		Profiles: o.opts.Profiles, Tmux: o.opts.Tmux,
		Workspace: o.opts.Workspace, LaunchDir: o.opts.LaunchDir, Executable: o.opts.Executable, Spool: o.opts.Spool,
		Boundary: o.opts.Boundary,
		Host:     o.opts.Host, StopGrace: o.opts.Settings.StopGrace, Watch: o.opts.Settings.Watch,
		TypedAs:     o.rooms.programs.Profile,
		Does:        o.rooms.entrances.does,
		Prompt:      o.firstPrompt,
		RedrawAfter: o.opts.Settings.RedrawAfter, Keyboard: o.opts.Settings.Web.Keyboard, Now: o.now, Log: o.log,
	})
	return err
}

// compose creates the services. closing is closed when the daemon ends.
func (o *Orchestrator) compose(closing <-chan struct{}) {
	r := &o.rooms

	o.Callers = &callers{r.roster, r.terminals}
	o.services.agents = &agentService{
		store: o.store, roster: r.roster, programs: r.programs, meter: r.meter, opts: &o.opts, now: o.now,
	}
	o.services.programs = &programService{elsewhere: r.elsewhere, roster: r.roster, programs: r.programs}
	o.services.messages = &messageService{
		search:     &search{r.admission.access, o.store, r.roster, o.now},
		responses:  &responses{r.admission, o.store, r.roster},
		assistance: &assistance{r.admission, r.roster, o.now},
		admission:  r.admission, store: o.store, roster: r.roster, responders: r.responders, talk: r.talk,
		now: o.now, log: o.log, closing: closing,
	}
	o.services.worktrees = &worktreeService{
		elsewhere: r.elsewhere, roster: r.roster, terminals: r.terminals, messages: o.services.messages,
		workspace: o.opts.Workspace,
	}
	o.services.terminals = &terminalService{
		elsewhere: r.elsewhere, terminals: r.terminals, roster: r.roster, responders: r.responders,
		messages: o.services.messages, worktrees: o.services.worktrees,
	}
	o.services.threads = &threadService{
		admission: r.admission, store: o.store, roster: r.roster, talk: r.talk, now: o.now, log: o.log,
	}
	o.Files = &fileService{
		admission: r.admission, store: o.store, roster: r.roster, files: r.files, opts: &o.opts, now: o.now, log: o.log,
	}
	o.services.operator = &operatorService{
		elsewhere: r.elsewhere, admission: r.admission, store: o.store, roster: r.roster, talk: r.talk,
		responders: r.responders, terminals: r.terminals, meter: r.meter, overlaps: r.overlaps, programs: r.programs,
		pause: r.pause, opts: &o.opts, now: o.now, log: o.log,
		reminders: &reminders{
			admission: r.admission, store: o.store, roster: r.roster, talk: r.talk, pause: r.pause,
			settings: &o.opts.Settings, now: o.now, log: o.log,
		},
		losses: &losses{admission: r.admission, store: o.store, roster: r.roster, pause: r.pause, log: o.log},
		agents: &agentNeeds{elsewhere: r.elsewhere, roster: r.roster, settings: &o.opts.Settings, now: o.now},
	}
	o.Keys = &keyService{
		store: o.store, roster: r.roster, terminals: o.services.terminals, responders: r.responders,
		opts: &o.opts, now: o.now, log: o.log,
	}
	o.services.conversations = &conversationService{
		talk: r.talk, responders: r.responders, store: o.store, roster: r.roster, now: o.now, log: o.log,
	}
	o.services.responders = &responderService{responders: r.responders, meter: r.meter, roster: r.roster}
	o.services.events = &eventService{
		store: o.store, roster: r.roster, overlaps: r.overlaps, meter: r.meter, now: o.now, closing: closing,
	}
	o.Workspace = &workspaceService{
		store: o.store, roster: r.roster, terminals: r.terminals, operator: o.services.operator, pause: r.pause,
		opts: &o.opts, now: o.now, log: o.log, away: newInterval(awayTime),
	}
}

// start recovers files, responders and terminals, and starts delivering and watching until
// running ends.
func (o *Orchestrator) start(ctx, running context.Context) error {
	err := o.Files.tidyFiles(ctx)
	if err == nil {
		o.Workspace.warnings, err = o.rooms.responders.LoadDeclared(ctx)
	}
	if err == nil {
		err = o.rooms.terminals.Recover(ctx)
	}
	if err != nil {
		return errors.Join(err, o.rooms.terminals.Close())
	}

	for _, warning := range o.Workspace.warnings {
		o.log.Warn(warning)
	}
	for _, m := range o.rooms.roster.All() {
		o.rooms.couriers.Start(m)
	}
	o.Workspace.returned.Store(true)
	o.Workspace.keepHosts(ctx)
	o.group.Go(func() { o.rooms.terminals.Watch(running) })
	o.group.Go(func() { o.tick(running) })
	o.group.Go(func() { o.reportIncidents(running) })
	o.group.Go(func() { o.keepCopies(running) })
	o.group.Go(func() { o.checkStorage(running) })
	o.group.Go(func() { o.prune(running) })
	o.group.Go(func() { o.rooms.meter.Run(running) })
	o.group.Go(func() { o.rooms.overlaps.Run(running) })
	o.group.Go(func() { o.rooms.programs.Run(running) })
	if o.store.Team().Own != "" {
		taker := relay.Taker{
			Store: o.store, Roster: o.rooms.roster, Service: o, Refuse: o.opts.Settings.LocalActsOnly, Log: o.log,
		}
		o.group.Go(func() { taker.Run(running) })
	}
	if o.opts.Away.Notifier != nil {
		o.group.Go(func() { o.opts.Away.Notifier.Run(running) })
	}
	if o.opts.Away.Devices != nil {
		o.opts.Away.Devices.While(o.sessionLives)
		o.group.Go(func() { o.opts.Away.Push.Run(running) })
		o.group.Go(func() { o.push(running) })
	}
	o.group.Go(func() { o.notify(running) })

	return nil
}

// tick runs the periodic work until ctx ends: reminders and held messages at every tick,
// expired deliveries and stuck agents less often. Of several hosts, one does what concerns all.
func (o *Orchestrator) tick(ctx context.Context) {
	settings := &o.opts.Settings
	tick := time.NewTicker(settings.Watch)
	defer tick.Stop()
	chores := newInterval(choreTime)
	steering, guardian := newInterval(min(choreTime, settings.StuckAfter/2)), newGuardian(o.services.operator)

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		leads := o.Workspace.keepHosts(ctx)
		if leads {
			o.services.operator.reminders.remind(ctx)
			o.services.conversations.recheckHolds(ctx)
		} else {
			o.rooms.talk.Compare(ctx)
		}
		if chores.due() {
			o.Workspace.expire(ctx)
			if leads {
				o.services.operator.losses.tell(ctx)
			}
		}
		if settings.AutoSteer && steering.due() {
			guardian.guard(ctx)
		}
	}
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
	o.rooms.entrances.Close()
	o.rooms.roster.Close()
	return o.rooms.terminals.Close()
}
