package courier

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
)

// newWorld returns a world in which the story is about to begin.
func newWorld(s *story, k *common, keepLog bool) *world {
	w := &world{
		hooked:   map[string]*hookedIn{},
		timeline: timeline{began: time.Now()}, simServer: simServer{buffers: map[string]string{}},
		claims: claims{forced: map[string]bool{}}, story: s, keepLog: keepLog, common: k,
	}
	w.word.places = team.NewPlaces(func(context.Context, store.Place) error { return nil })
	_ = w.word.places.Add(context.Background(), team.ProgramID(ownProgram), profile.Place{})
	w.watch.w = w
	w.agent = parley.Agent{
		ID: agentID, Name: "bob", Kind: parley.KindTerminal, State: parley.StateIdle, Profile: s.Profile,
	}
	w.agent.Door, w.agent.Interruptible = s.Traits.Setting, s.Traits.Steers
	w.newServer()
	w.launch()
	w.start()
	w.daemon.m.Terminal().Started = time.Now()
	for _, e := range s.Events {
		w.after(e.At, func() {
			if e.Do != "send" {
				w.note("%s", strings.TrimSpace(e.String()[11:]))
			}
			w.perform(e)
		})
	}
	return w
}

func (w *world) newServer() {
	w.servers++
	w.panes, w.environment = 0, map[string]string{}
	w.instance = fmt.Sprintf("%d/%d", 100+w.servers, time.Now().Unix())
}

// launch starts the program in a new pane.
func (w *world) launch() {
	w.launches++
	w.panes++
	tr := &w.story.Traits
	f := faces[w.story.Profile]
	f.prompt = cmp.Or(tr.Sign, f.prompt)
	g := &program{
		w: w, p: must(w.set.Find(w.story.Profile)), face: &f, width: tr.Width, born: time.Now(), alive: true,
		started: w.launches,
	}
	var before *program
	if w.pane != nil {
		before = w.pane.program
	}
	w.pane = &simPane{
		w: w, id: fmt.Sprint("%", w.panes), program: g, drawn: time.Now(),
		options: map[string]string{"@parley_agent": agentID},
	}
	g.pane = w.pane
	g.inherit(before)
	g.shown = f.draw(&scenery{blank: true})
	g.open()
}

// tell runs the story, and returns the promise that it broke.
func (w *world) tell() (broken *violation) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(storyEnds); !ok {
				panic(r)
			}
			broken = w.broken
		}
	}()

	last := time.Duration(0)
	for _, e := range w.story.Events {
		last = max(last, e.At+e.For)
	}
	w.run(w.began.Add(last + 10*time.Second))
	w.calmDown()
	if w.open() == 0 && w.daemon != nil && w.takenAlong() != nil {
		w.clear()
		w.run(time.Now().Add(3 * doorAgain))
	}
	w.watch.atEnd()

	return nil
}

// calmDown removes every obstacle, and waits for what is still open.
func (w *world) calmDown() {
	bound := time.Now().Add(2 * time.Minute)
	for range w.open() {
		bound = bound.Add(80*time.Second + w.story.Traits.Work)
	}
	w.note("everything calms down")
	for w.open() > 0 && time.Now().Before(bound) {
		w.clear()
		w.run(time.Now().Add(5 * time.Second))
	}
	if w.daemon == nil {
		w.run(time.Now().Add(10 * time.Second))
	}
}

// open returns how many deliveries have not ended.
func (w *world) open() (n int) {
	for _, r := range w.store.rows {
		if r.waits() || r.job.State == parley.DeliveryTyping {
			n++
		}
	}
	return n
}

// clear removes what stands in the way at this moment.
func (w *world) clear() {
	w.faults, w.paused, w.story.Lost = faults{}, nil, 0
	if w.daemon == nil {
		return // until it has come back
	}
	if t := w.daemon.m.Terminal(); t != nil {
		t.Stopping.Store(false)
	}
	if w.instance == "" {
		w.newServer()
	}
	if w.pane == nil || w.pane.dead || !w.pane.program.alive {
		w.relaunch()
	}

	p := w.pane
	g := p.program
	p.inputOff, p.shared, p.mode = false, false, false
	p.options["@parley_agent"] = agentID
	g.shell, g.blocked, g.dialog, g.asks, g.behind = "", false, false, "", false
	g.signIn()
	g.closed, g.silent = time.Time{}, time.Time{}
	g.lose, g.breaks, g.late, g.dying, g.atKey, g.hung, g.stalled = 0, 0, 0, nil, nil, time.Time{}, time.Time{}
	g.readSoon()
	w.sweep(g)
	g.drawSoon()
	w.attach(p, 4*time.Second) // and then nobody is there
	w.operate(p)
}

// sweep clears the composer, except for the text that waits for its key there.
func (w *world) sweep(g *program) {
	keep, _ := w.store.Typing(context.Background(), agentID)
	if s := w.stranded(g.pane); s != nil && !s.Dismissed && !g.p.HasMarkers() {
		keep = append(keep, s.Job)
	}
	kept := func(short string) bool {
		return slices.ContainsFunc(keep, func(j store.Job) bool { return parley.Short(j.Message.ID) == short })
	}
	n := len(g.composer)
	g.composer = slices.DeleteFunc(g.composer, func(c piece) bool { return !kept(c.msg) })
	for len(g.composer) > 1 && g.composer[0].msg == g.composer[1].msg { // they have recalled the first
		g.composer = g.composer[1:]
	}
	if len(g.composer) < n {
		g.pane.activity = time.Now() // a person does that
	}
	if !slices.ContainsFunc(g.unread, func(c chunk) bool {
		m := w.messageIn(c.text)
		return m != nil && kept(m.short())
	}) {
		g.clearLine()
	}
}

// stranded returns the delivery that was typed last into a pane, if nothing proves its fate.
func (w *world) stranded(p *simPane) *store.TypedJob {
	s, _ := w.store.TypedAs(context.Background(), agentID, p.info().Seq)
	return s
}

// operate lets the operator retry or dismiss an unproven text that others wait behind.
func (w *world) operate(p *simPane) {
	first, _ := w.store.Pending(context.Background(), agentID, 1)
	waits := func(code parley.ReasonCode) bool { return len(first) > 0 && first[0].Code() == code }
	g := p.program
	asked := slices.ContainsFunc(w.store.rows, func(r *memoryRow) bool {
		return r.job.Code() == parley.HoldNewPlace || r.job.Code() == parley.HoldOtherProgram
	})
	settled := !w.story.Traits.needsWord() || !w.word.at.IsZero()
	if asked && settled && w.daemon.m.Terminal() != nil && g.begun && g.dialogAt.IsZero() && g.behindAt.IsZero() {
		w.settleHere() // as they are asked to
	}
	if waits(parley.HoldRecalled) { // as they are told to
		p.program.clear()
		p.program.clearLine()
	}
	if waits(parley.HoldOwnText) && !p.program.p.HasMarkers() {
		p.personKey(func() { p.program.input(chunk{key: "Enter", who: "person"}) }) // as they are told to
	}
	typing, _ := w.store.Typing(context.Background(), agentID)
	unsaid := func(code parley.ReasonCode) bool {
		return waits(code) || len(typing) > 0 && typing[0].Code() == code
	}
	if unsaid(parley.HoldNewPlace) || unsaid(parley.HoldOtherProgram) {
		w.settlePlace()
	}

	s := w.stranded(p)
	if s == nil || s.Waits() || !waits(parley.HoldUnsent) {
		return
	}
	if w.chance("retried", int(s.Key.MessageSeq)) < 0.5 {
		w.retry(int(s.Key.MessageSeq))
		return
	}
	p.program.clear() // they have seen to it
	p.program.clearLine()
	w.store.find(s.Key).dealt = true
	w.note("%s is dismissed", w.nameOf(s.Key))
	w.wakeDaemon()
}

// run runs the world until a time.
func (w *world) run(until time.Time) {
	for {
		w.sync()
		now := time.Now()
		if !now.Before(until) {
			return
		}
		d := w.daemon
		if d != nil && d.ctx.Err() != nil {
			w.note("the daemon has ended")
			w.daemon = nil
			w.after(w.story.Back, w.start)
			continue
		}
		if d != nil && d.due(now) {
			if !d.turn() {
				continue
			}
			w.sync()
			continue
		}
		to := w.wakes(until)
		if d != nil && !d.retry.IsZero() && d.retry.Before(to) {
			to = d.retry
		}
		time.Sleep(to.Sub(now))
	}
}

// due reports whether the courier has something to do.
func (d *daemon) due(now time.Time) bool {
	select {
	case <-d.m.Wakeups:
		d.wake = true
	default:
	}
	if d.wake {
		d.pause = recheck
		return true
	}
	if !d.retry.IsZero() && !d.retry.After(now) {
		d.pause = min(2*d.pause, restful)
		return true
	}
	return false
}

// relaunch launches the program again, which only a daemon does.
func (w *world) relaunch() {
	if w.daemon == nil {
		w.after(time.Second, func() {
			if w.pane == nil || w.pane.dead || !w.pane.program.alive {
				w.relaunch()
			}
		})
		return
	}
	if w.instance == "" {
		w.newServer()
	}
	w.daemon.lose("the agent was stopped")
	w.daemon.m.Reports.Forget()
	w.launch()
	w.agent.State, w.agent.Evidence = parley.StateStarting, ""
	w.daemon.m.SetAgent(w.agent)
	w.daemon.attach(time.Now())
	w.daemon.wakeUp()
	w.note("the program is launched again")
}

// accept stores a message and hands it over.
func (w *world) accept(e event) (job store.Job) {
	n := len(w.messages) + 1
	text := fmt.Sprintf("message %d", n)
	m := &message{
		Message: parley.Message{
			ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0xa1b2c000+n*7919), Sender: "ann",
			SenderID: "12345678-0000",
			Text:     text, Kind: parley.KindDirect, Priority: parley.Priority(e.What), Timestamp: time.Now(),
		},
		key: store.Key{MessageSeq: int64(n), RecipientID: agentID}, queued: time.Now(),
	}
	body := m.Message
	switch e.N {
	case 1:
		body.Text += " " + strings.Repeat("and please look at the tests ", 6) + "\nin two lines"
	case 2:
		body.Text += strings.Repeat(" and one more sentence for the whole team to read", 100)
	case 3:
		body.Text += " with a <tag>"
	}
	w.messages = append(w.messages, m)
	job = w.store.add(body, m.key)
	w.note("%s is accepted, %s", text, e.What)
	if w.daemon == nil {
		return job
	}
	if offer := w.daemon.m.Offers.Take(&body, time.Now()); offer != nil {
		w.storeOn(offer, job)
		return job
	}
	w.hand(job)
	return job
}

// storeOn claims a message on an offer, unless another one goes first, and hands it over.
func (w *world) storeOn(offer *team.Offer, job store.Job) {
	d, n := w.daemon, int(job.Key.MessageSeq)
	late := time.Duration(0)
	if w.chance("stored late", n) < 0.2 {
		late = time.Duration(w.chance("late", n) * float64(100*time.Millisecond))
	}
	if w.open() == 1 && w.chance("claimed", n) < 0.9 {
		w.watch.asked, w.watch.early = time.Now(), true
		d.claims()
		w.watch.claims(job.Key, offer.PaneSeq)
		must(0, w.store.Claim(d.ctx, job.Key, offer.PaneSeq, false))
		job = w.store.find(job.Key).job
		w.note("%s is claimed with %d", w.nameOf(job.Key), offer.PaneSeq)
		late += w.slowStore(job.Key)
	}

	d.wakeUp()
	var stored func()
	stored = func() {
		switch {
		case w.daemon == d:
			w.watch.handsOver()
			d.m.Enqueue(job)
			d.m.Offers.Return(offer)
			d.wakeUp()
		case w.hosts.asleep: // it hears of it when it wakes up
			w.after(time.Second, stored)
		}
	}
	w.after(late, stored)
}

// slowStore returns for how long the database is slow to claim a message on an offer. What happens meanwhile
// happens once the courier has looked ahead.
func (w *world) slowStore(k store.Key) time.Duration {
	f := &w.faults
	i := slices.IndexFunc(f.databases, func(f databaseFault) bool { return f.Kind == "claim" && f.Then != nil })
	if i < 0 {
		return 0
	}
	slow := f.databases[i]
	f.databases = slices.Delete(f.databases, i, i+1)
	w.claiming = k
	w.after(10*time.Millisecond, slow.Then)
	return slow.Slow
}

func (w *world) hand(job store.Job) {
	if w.daemon != nil {
		w.daemon.m.Enqueue(job)
		w.daemon.wakeUp()
	}
}
