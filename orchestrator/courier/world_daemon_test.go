package courier

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// worldHost is the machine as the daemon reaches it.
type worldHost struct{ w *world }

func (h worldHost) Pane(t *team.Terminal) pane { return h.w.hosts.acting.handles[t] }

func (h worldHost) Instance(*team.Terminal) string { return h.w.instance }

var errNoProcess = errors.New("no such process")

// program returns the program that a terminal was made for.
func (h worldHost) program(t *team.Terminal) *program {
	if p := h.w.pane; p != nil && p.program.started == t.PID {
		return p.program
	}
	return nil
}

func (h worldHost) Alive(t *team.Terminal) bool {
	g := h.program(t)
	return g != nil && g.alive
}

func (h worldHost) Beckon(_ *team.Member, up bool) { h.w.beckons = up }

func (h worldHost) Unread(t *team.Terminal) (int, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || !g.alive {
		return 0, errNoProcess
	}
	n := g.waiting()
	h.w.watch.saw(n)
	return n, nil
}

func (h worldHost) Canonical(t *team.Terminal) (bool, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || g.pane.dead { // a terminal stays as its program left it
		return false, errNoProcess
	}
	return g.canonical() || g.shell != "", nil
}

// Reader says what the system would: a program that reads lines waits for one.
func (h worldHost) Reader(t *team.Terminal, _ time.Time) (tmux.Reader, error) {
	h.w.sync()
	g := h.program(t)
	if g == nil || !g.alive {
		return tmux.Reader{}, errNoProcess
	}
	r := tmux.Reader{Program: g.runs(), PID: t.PID, Waits: tmux.ReadsInput}
	if g.shell != "" {
		r.Program = tmux.Program{File: "/bin/" + g.shell, Args: []string{g.shell}}
	} else if !g.reads() {
		r.Waits = tmux.ReadsNot
	}
	return r, nil
}

func (h worldHost) Program(*team.Terminal) (*profile.Profile, bool) { return nil, false }

// daemon is the daemon from one start to its end, with one courier.
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
	lease   leased

	claimedOn *simPane // at the last claim, which may be that of the daemon before it
}

// claims notes for which pane the daemon claims a message.
func (d *daemon) claims() { d.claimedOn, d.w.claimedOn = d.w.pane, d.w.pane }

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
	d := &daemon{w: w, ctx: ctx, end: cancel, handles: map[*team.Terminal]pane{}, wake: true, pause: recheck,
		claimedOn: w.claimedOn}
	d.m = team.NewMember(w.agent)
	if !w.takeHost(d) {
		cancel()
		return
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := New(Options{
		Store: worldStore{w, d}, Roster: team.New(nil, "", time.Now, log), Now: time.Now, Log: log,
		ShortFooter: w.story.Traits.ShortID, Paused: func() *parley.Pause { return w.paused }, Notify: w.notify,
		LeaseOver: d.leaseOver(),
	})
	o.host, o.readings = worldHost{w}, w.looks
	d.c = o.newCourier(d.m)
	w.daemon, w.watch.unread, w.watch.unreads = d, time.Time{}, time.Time{}
	w.note("the daemon begins")

	if w.pane != nil && w.instance != "" {
		d.recover()
	} else {
		d.m.Served.Gone(must(w.set.Find(w.story.Profile)).RefusesWithin > 0)
		d.lose("its terminal was gone when the daemon started")
	}
	for _, s := range w.spool {
		d.report(s)
	}
	w.spool = nil
	d.watch()
	w.meddle()
}

// meddle lets something happen as the daemon resumes what the one before it left.
func (w *world) meddle() {
	e := w.faults.resume
	if e.Do == "" || w.faults.dieAfter != "" {
		return
	}
	w.faults.resume = event{}
	do := func() { w.perform(e) }
	if e.N > 0 {
		w.faults.thenIn, w.faults.then = e.N, do
		return
	}
	w.faults.databases = append(w.faults.databases, databaseFault{Kind: "typing", Slow: 2 * time.Second, Then: do})
}

func (w *world) notify(context.Context, []*team.Member, string, jsonRaw, string) error { return nil }

// recover finds the terminal of the agent.
func (d *daemon) recover() { d.attach(time.Time{}) }

func (d *daemon) attach(started time.Time) {
	p := d.w.pane
	t := &team.Terminal{
		Places: d.w.word.places, Profile: p.program.p, PID: p.program.started, TTY: "tty", Instance: d.w.instance,
		Started: started,
		Origin:  team.Origin{Begun: p.program.born},
	}
	if d.w.story.Traits.Joined {
		t.IsProgram = func(argv []string) bool { return argv[0] == "agent" }
	}
	d.handles[t] = simHandle{d, p.id}
	d.m.SetTerminal(t)
}

// lose records that the agent has lost its terminal, as the watcher does.
func (d *daemon) lose(why string) {
	d.m.SetTerminal(nil)
	d.w.agent.State, d.w.agent.Evidence = parley.StateUnreachable, why
	d.m.SetAgent(d.w.agent)
	unbegun := d.m.Offers.Drop()
	jobs, _ := d.w.store.Typing(d.ctx, agentID)
	for _, job := range jobs {
		d.w.note("the watcher gives %s up", d.w.nameOf(job.Key))
		_ = d.w.store.Advance(d.ctx, job.Key, abandoned(d.m, &job, why, unbegun)...)
	}
	d.wakeUp()
}

func (d *daemon) wakeUp() { d.wake = true }

// watch is the watcher of terminals: it looks once a second.
func (d *daemon) watch() {
	d.w.watches = time.Now().Add(time.Second)
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
		if d.m.Typing.TryLock() { // the watcher does not wait either, but its writes come between two steps
			d.lose("its terminal is gone")
			d.m.Typing.Unlock()
		}
	case p.dead && d.w.agent.State != parley.StateExited:
		d.w.agent.State, d.w.agent.Evidence = parley.StateExited, "its program ended"
		d.m.SetAgent(d.w.agent)
		d.wakeUp()
	case !p.dead:
		screen := p.screen()
		o := sight.Look(worldHost{d.w}, d.w.looks, t, time.Now(), screen)
		if o.Profile.HasMarkers() {
			o.See(&t.Shown)
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
	for _, id := range s.ids {
		if m := d.w.messageNamed(id); m != nil && m.named.IsZero() {
			m.named = time.Now()
		}
	}
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
		d.w.store.attest(agentID, s.ids, s.at, d.m.Served.MayRefuse(s.at))
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
	d.wake, d.w.hosts.acting = false, d
	select {
	case <-d.m.Wakeups:
	default:
	}
	again := false
	d.pause, again = d.c.turn(d.ctx, d.pause)
	d.retry = time.Time{}
	if again {
		d.retry = time.Now().Add(d.w.pause(d.pause))
	}
	if d.w.daemon != d {
		d.haunt()
	}
	return true
}

// die ends the daemon as a crash does. It comes back later.
func (d *daemon) die() {
	w := d.w
	d.end()
	if w.faults.dieIn = 0; w.daemon != d {
		return // another one is the host
	}
	w.daemon = nil
	w.after(w.story.Back, w.start)
}

// Echo: no program of this world reads a secret.
func (h worldHost) Echo(*team.Terminal) (bool, error) { return true, nil }
