package courier

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// world is everything that a courier can reach, on a clock that runs only while everything
// waits. One goroutine runs it all, so that a story is told the same way each time.
type world struct {
	story    *story
	began    time.Time
	events   []happening // to come, the next one last
	number   int
	inside   bool // of sync
	store    memoryStore
	messages []*message

	instance string // of the tmux server; "": none runs
	servers  int
	pane     *simPane
	stuck    time.Time // the server runs no command until then
	buffers  map[string]string
	buffer   int
	launches int

	daemon  *daemon
	agent   parley.Agent
	spool   []said
	paused  *parley.Pause
	looks   *readings
	faults  faults
	watch   watch
	log     []string // what happened, if it is kept
	keepLog bool

	set       *profile.Set
	forced    map[string]bool // by the operator, in an earlier life of the daemon too
	current   *message        // pasted last
	claimedOn *simPane

	broken *violation // the first
}

// happening is something that is to happen at a time.
type happening struct {
	at     time.Time
	number int
	do     func()
}

// message is one that was accepted.
type message struct {
	parley.Message
	key     store.Key
	at      time.Time
	retries int
	pastes  int
	got     []time.Time // when the program took it
	queued  time.Time   // for the last attempt
	fetched bool        // read in another way

	pasted   bool // in the last attempt
	pastedAt time.Time
	keys     int
}

func (m *message) short() string { return parley.Short(m.ID) }

// violation is a broken promise.
type violation struct {
	invariant string
	detail    string
	at        time.Duration
}

// violate ends the story.
func (w *world) violate(invariant, form string, args ...any) {
	if w.broken == nil {
		w.broken = &violation{invariant, fmt.Sprintf(form, args...), time.Since(w.began)}
		w.note("VIOLATION: %s: %s", invariant, w.broken.detail)
	}
	panic(storyEnds{})
}

// storyEnds unwinds a story that is over; daemonDies a daemon.
type (
	storyEnds  struct{}
	daemonDies struct{}
)

func (w *world) note(form string, args ...any) {
	if w.keepLog {
		w.log = append(w.log, fmt.Sprintf("%9.3fs  ", time.Since(w.began).Seconds())+fmt.Sprintf(form, args...))
	}
}

// on lets something happen at a time, and after lets it happen later.
func (w *world) on(at time.Time, do func()) {
	w.number++
	h := happening{at, w.number, do}
	i, _ := slices.BinarySearchFunc(w.events, h, func(a, b happening) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return b.number - a.number
	})
	w.events = slices.Insert(w.events, i, h)
}

func (w *world) after(d time.Duration, do func()) { w.on(time.Now().Add(d), do) }

// sync lets everything happen whose time has come.
func (w *world) sync() {
	if w.inside {
		return
	}
	w.inside = true
	defer func() { w.inside = false }()
	now := time.Now()
	for n := len(w.events); n > 0 && !w.events[n-1].at.After(now); n = len(w.events) {
		h := w.events[n-1]
		w.events = w.events[:n-1]
		h.do()
	}
}

// next returns the time of the next happening.
func (w *world) next() (time.Time, bool) {
	if n := len(w.events); n > 0 {
		return w.events[n-1].at, true
	}
	return time.Time{}, false
}

// chance returns a number from 0 to 1 that depends only on the story's seed, a label and a
// number, so that a shorter story has the same chances.
func (w *world) chance(label string, n int) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, w.story.Seed, label, n)
	return float64(h.Sum64()>>11) / (1 << 53)
}

// faults are what is wrong with the machine.
type faults struct {
	dieIn     int // steps until the daemon dies; 0: never
	dieLate   bool
	commands  []commandFault
	databases []databaseFault
}

// commandFault is one for the next command of a kind.
type commandFault struct {
	Kind   string        // "": any
	Lost   bool          // it is not run
	Broken bool          // the connection breaks
	Before time.Duration // it is run so much later
	After  time.Duration // it is answered so much later
}

// databaseFault is one for the next call of a kind.
type databaseFault struct {
	Kind  string
	Lost  bool // it did nothing
	Error bool
	Slow  time.Duration

	Server time.Duration // the tmux server dies meanwhile, and the program comes back after that
}

// step is a moment between two steps of the daemon, at which it can die.
func (w *world) step() {
	w.sync()
	if w.faults.dieIn > 0 {
		if w.faults.dieIn--; w.faults.dieIn == 0 {
			w.note("the daemon dies")
			panic(daemonDies{})
		}
	}
	if w.daemon != nil {
		w.daemon.recordLate()
	}
}

// command runs a command of tmux.
func (w *world) command(ctx context.Context, kind string, run func() error) error {
	if err := over(ctx); err != nil {
		return err
	}
	w.step()
	var f commandFault
	if i := slices.IndexFunc(w.faults.commands, func(f commandFault) bool { return f.Kind == "" || f.Kind == kind }); i >= 0 {
		f = w.faults.commands[i]
		w.faults.commands = slices.Delete(w.faults.commands, i, i+1)
		w.note("tmux: %s %+v", kind, f)
	}
	if w.instance == "" {
		return fmt.Errorf("%w: no server", tmux.ErrDisconnected)
	}

	instance := w.instance
	dying := w.faults.dieIn == 1 // the command is on its way when the daemon dies
	if dying {
		w.faults.dieIn = 0
		delay := time.Duration(0)
		if w.faults.dieLate {
			delay = 20 * time.Millisecond
		}
		w.note("the daemon dies during %s", kind)
		w.after(delay, func() {
			if w.instance == instance && !f.Lost {
				_ = run()
			}
		})
		panic(daemonDies{})
	}

	done, err := false, error(nil)
	execute := func() {
		if done = true; !f.Lost && w.instance == instance {
			err = run()
		}
	}
	wait := max(f.Before, time.Until(w.stuck)) // commands are run in their order
	if wait > 0 {
		w.stuck = time.Now().Add(wait)
		w.after(wait, execute)
		if e := w.sleep(ctx, wait); e != nil {
			return e
		}
	}
	if !done {
		execute()
	}
	if f.After > 0 {
		if e := w.sleep(ctx, f.After); e != nil {
			return e
		}
	}
	w.step()
	if f.Broken || f.Lost || w.instance != instance {
		return fmt.Errorf("%w: the client ended", tmux.ErrDisconnected)
	}
	return err
}

// over returns the cause of a context that has ended, also one that ends at this moment.
func over(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok && !time.Now().Before(at) {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// sleep lets time pass for the daemon while the world goes on.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		w.sync()
		return over(ctx)
	case <-ctx.Done():
		w.sync()
		return context.Cause(ctx)
	}
}

var errDatabase = errors.New("the database is locked")

// call makes a call of the database.
func (w *world) call(ctx context.Context, kind string, do func() error) error {
	if err := over(ctx); err != nil {
		return err
	}
	w.step()
	var f databaseFault
	if i := slices.IndexFunc(w.faults.databases, func(f databaseFault) bool { return f.Kind == "" || f.Kind == kind }); i >= 0 {
		f = w.faults.databases[i]
		w.faults.databases = slices.Delete(w.faults.databases, i, i+1)
		w.note("database: %s %+v", kind, f)
	}
	if f.Server > 0 {
		w.serverDies(f.Server)
	}
	if f.Slow > 0 {
		if err := w.sleep(ctx, f.Slow); err != nil {
			return err
		}
	}
	var err error
	if !f.Lost {
		err = do()
	}
	w.step()
	if f.Error {
		return fmt.Errorf("%s: %w", kind, errDatabase)
	}
	return err
}

// worldStore is the database as the daemon reaches it.
type worldStore struct{ w *world }

func (s worldStore) jobs(ctx context.Context, kind string, read func() ([]store.Job, error)) (jobs []store.Job, err error) {
	err = s.w.call(ctx, kind, func() (err error) {
		jobs, err = read()
		return err
	})
	if err != nil {
		jobs = nil
	}
	return jobs, err
}

func (s worldStore) Pending(ctx context.Context, id string, limit int) ([]store.Job, error) {
	return s.jobs(ctx, "pending", func() ([]store.Job, error) { return s.w.store.Pending(ctx, id, limit) })
}

func (s worldStore) PendingAmong(ctx context.Context, id string, ids []string) ([]store.Job, error) {
	return s.jobs(ctx, "among", func() ([]store.Job, error) { return s.w.store.PendingAmong(ctx, id, ids) })
}

func (s worldStore) Typing(ctx context.Context, id string) ([]store.Job, error) {
	return s.jobs(ctx, "typing", func() ([]store.Job, error) { return s.w.store.Typing(ctx, id) })
}

func (s worldStore) TypedAs(ctx context.Context, id string, seq uint64) (job *store.TypedJob, err error) {
	err = s.w.call(ctx, "typed", func() (err error) {
		job, err = s.w.store.TypedAs(ctx, id, seq)
		return err
	})
	if err != nil {
		job = nil
	}
	return job, err
}

func (s worldStore) Claim(ctx context.Context, k store.Key, paneSeq uint64, notice bool) error {
	s.w.watch.asked, s.w.claimedOn = time.Now(), s.w.pane
	return s.w.call(ctx, "claim", func() error {
		s.w.watch.claims(k, paneSeq)
		err := s.w.store.Claim(ctx, k, paneSeq, notice)
		s.w.note("claim of %s with %d: %v", s.w.nameOf(k), paneSeq, err)
		return err
	})
}

func (s worldStore) Advance(ctx context.Context, k store.Key, changes ...store.Change) error {
	return s.w.call(ctx, "advance", func() error {
		s.w.watch.advances(k, changes)
		err := s.w.store.Advance(ctx, k, changes...)
		for _, c := range changes {
			s.w.note("%s is %s: %s %s%s: %v", s.w.nameOf(k), c.State, c.Code, c.Reason, c.Evidence, err)
		}
		return err
	})
}

func (w *world) nameOf(k store.Key) string { return w.messages[k.MessageSeq-1].Text }

// messageIn returns the message whose mark stands in a text.
func (w *world) messageIn(text string) *message {
	for _, m := range w.messages {
		if strings.Contains(text, m.Mark()) {
			return m
		}
	}
	return nil
}

// worldHost is the machine as the daemon reaches it.
type worldHost struct{ w *world }

func (h worldHost) Pane(t *team.Terminal) pane { return h.w.daemon.handles[t] }

func (h worldHost) Instance(*team.Terminal) string { return h.w.instance }

var errNoProcess = errors.New("no such process")

// program returns the program that a terminal was made for.
func (h worldHost) program(t *team.Terminal) *program {
	if p := h.w.pane; p != nil && p.program.started == t.PID {
		return p.program
	}
	return nil
}

func (h worldHost) Foreground(t *team.Terminal) ([]string, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || !g.alive {
		return nil, errNoProcess
	}
	if g.shell != "" {
		return []string{g.shell}, nil
	}
	return []string{"agent"}, nil
}

func (h worldHost) Alive(t *team.Terminal) bool {
	g := h.program(t)
	return g != nil && g.alive
}

func (h worldHost) Unread(t *team.Terminal) (int, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || !g.alive {
		return 0, errNoProcess
	}
	return g.waiting(), nil
}

func (h worldHost) Canonical(t *team.Terminal) (bool, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || !g.alive {
		return false, errNoProcess
	}
	return g.canonical() || g.shell != "", nil
}

// Echo: no program of this world reads a secret.
func (h worldHost) Echo(*team.Terminal) (bool, error) { return true, nil }

// daemon is one life of the daemon, with one courier.
type daemon struct {
	w       *world
	m       *team.Member
	c       *courier
	handles map[*team.Terminal]pane
	ctx     context.Context
	end     context.CancelFunc
	late    []said
	wake    bool
	retry   time.Time // zero: not by itself
	pause   time.Duration
	diedAt  time.Time // when the watcher saw that the program had ended
}

// said is a report of the program.
type said struct {
	signal string
	ids    []string
	at     time.Time
}

const agentID = "87654321-0000-4000-8000-000000000000"

// start brings the daemon up.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.Background())
	d := &daemon{w: w, ctx: ctx, end: cancel, handles: map[*team.Terminal]pane{}, wake: true, pause: recheck}
	d.m = team.NewMember(w.agent)
	o := New(Options{
		Store: worldStore{w}, Roster: new(team.Roster), Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		ShortFooter: w.story.Traits.ShortID, Paused: func() *parley.Pause { return w.paused }, Notify: w.notify,
	})
	o.host, o.readings = worldHost{w}, w.looks
	d.c = &courier{o: o, m: d.m, open: true, behind: true}
	w.daemon = d
	w.note("the daemon begins")

	if w.pane != nil && w.instance != "" {
		d.recover()
	} else {
		d.lose("its terminal was gone when the daemon started")
	}
	for _, s := range w.spool {
		d.report(s)
	}
	w.spool = nil
	d.watch()
}

func (w *world) notify(context.Context, []*team.Member, string, jsonRaw, string) error { return nil }

// recover finds the terminal of the agent.
func (d *daemon) recover() { d.attach(time.Time{}) }

func (d *daemon) attach(started time.Time) {
	p := d.w.pane
	t := &team.Terminal{
		Profile: p.program.p, PID: p.program.started, TTY: "tty", Instance: d.w.instance, Started: started,
	}
	if d.w.story.Traits.Joined {
		t.IsProgram = func(argv []string) bool { return argv[0] == "agent" }
	}
	d.handles[t] = simHandle{d.w, p.id}
	d.m.SetTerminal(t)
}

// lose records that the agent has lost its terminal, as the watcher does.
func (d *daemon) lose(why string) {
	d.m.SetTerminal(nil)
	d.w.agent.State, d.w.agent.Evidence = parley.StateUnreachable, why
	d.m.SetAgent(d.w.agent)
	jobs, _ := d.w.store.Typing(d.ctx, agentID)
	for _, job := range jobs {
		d.w.note("the watcher gives %s up", d.w.nameOf(job.Key))
		_ = d.w.store.Advance(d.ctx, job.Key, ended(parley.DeliveryUnconfirmed, parley.EndedLost, why))
	}
	d.wakeUp()
}

func (d *daemon) wakeUp() { d.wake = true }

// watch is the watcher of terminals: it looks once a second.
func (d *daemon) watch() {
	w := d.w
	w.after(time.Second, func() {
		if w.daemon != d {
			return
		}
		d.observe()
		d.watch()
	})
}

func (d *daemon) observe() {
	t := d.m.Terminal()
	if t == nil {
		return
	}
	p := d.w.pane
	switch {
	case d.w.instance == "": // it does not answer
	case p == nil || t.Instance != d.w.instance:
		if d.m.Typing.TryLock() { // Lose does not wait either, but its writes come between two steps
			d.lose("its terminal is gone")
			d.m.Typing.Unlock()
		}
	case p.dead && d.w.agent.State != parley.StateExited:
		d.w.agent.State, d.w.agent.Evidence = parley.StateExited, "its program ended"
		d.m.SetAgent(d.w.agent)
		d.wakeUp()
	case !p.dead:
		screen := p.screen()
		o := look(worldHost{d.w}, d.w.looks, t, time.Now(), screen)
		if o.profile.HasMarkers() {
			o.see(&t.Shown)
		}
	}
}

// report takes a report of the program.
func (d *daemon) report(s said) {
	note := team.Report{Event: s.signal, At: s.at}
	prompted := s.signal == "prompted"
	if t := d.m.Terminal(); t != nil && !s.at.Before(t.Started) {
		signal, _ := profile.ParseSignal(s.signal)
		note.State = signal.State
	}
	d.m.Reports.Note(note, prompted, s.ids)
	d.w.note("the program reports %s %v", s.signal, s.ids)
	if len(s.ids) > 0 {
		d.late = append(d.late, s)
		d.recordLate()
	}
	d.wakeUp()
}

// recordLate records what the program named, unless a message is being typed.
func (d *daemon) recordLate() {
	if len(d.late) == 0 || !d.m.Typing.TryLock() {
		return
	}
	defer d.m.Typing.Unlock()
	for _, s := range d.late {
		d.w.store.attest(agentID, s.ids)
		d.w.note("the report names %v", s.ids)
	}
	d.late = nil
	d.wakeUp()
}

// report carries a report to the daemon, or into the spool.
func (w *world) report(signal string, ids []string) {
	s := said{signal, ids, time.Now()}
	n := w.watch.reports
	w.watch.reports++
	if w.chance("lost report", n) < w.story.Lost {
		w.note("the report %s %v is lost", signal, ids)
		return
	}
	times := 1
	if w.chance("twice", n) < 0.05 {
		times = 2
	}
	for i := range times {
		late := time.Duration(float64(w.story.Traits.Report) * (0.5 + w.chance("late", n+i)))
		w.after(late, func() {
			if w.daemon == nil {
				w.spool = append(w.spool, s)
				return
			}
			w.daemon.report(s)
		})
	}
}

// turn lets the courier make a round. It reports whether the daemon still lives.
func (d *daemon) turn() (lives bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(daemonDies); !ok {
				panic(r)
			}
			d.die()
		}
	}()
	d.wake = false
	select {
	case <-d.m.Wakeups:
	default:
	}
	again := false
	d.pause, again = d.c.turn(d.ctx, d.pause)
	d.retry = time.Time{}
	if again {
		d.retry = time.Now().Add(d.pause)
	}
	return true
}

// die ends the daemon as a crash does. It comes back later.
func (d *daemon) die() {
	w := d.w
	d.end()
	w.daemon, w.faults.dieIn = nil, 0
	w.after(w.story.Back, w.start)
}
