package courier

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
)

type jsonRaw = json.RawMessage

// story is what happens in one run of the world. The same story is told the same way.
type story struct {
	Seed    uint64
	Profile string
	Calm    bool // nothing is in the way
	Traits  traits
	Lost    float64       // so many reports are
	Back    time.Duration // until a daemon that died comes back
	Events  []event
}

// event is one thing that happens, at a time after the beginning.
type event struct {
	At   time.Duration
	Do   string
	For  time.Duration // how long it lasts
	N    int           // which, or how many
	What string        // of which kind
}

func (e event) String() string {
	text := fmt.Sprintf("%9.3fs  %s", e.At.Seconds(), e.Do)
	if e.What != "" {
		text += " " + e.What
	}
	if e.N != 0 {
		text += fmt.Sprint(" ", e.N)
	}
	if e.For != 0 {
		text += fmt.Sprint(" for ", e.For)
	}
	return text
}

func (s *story) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, calm %v, %+v, lost reports %.2f, the daemon comes back after %v\n", s.Profile, s.Calm, s.Traits, s.Lost, s.Back)
	for _, e := range s.Events {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

var kinds = []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot", "generic"}

// teller makes up a story.
type teller struct {
	*rand.Rand
	s *story
	p *profile.Profile
}

// tell makes up the story of a seed.
func tell(seed uint64, set *profile.Set) *story {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &story{Seed: seed, Profile: kinds[r.IntN(len(kinds))], Calm: r.IntN(5) == 0}
	t := teller{r, s, must(set.Find(s.Profile))}
	if !s.Calm && r.IntN(4) == 0 {
		s.Lost = []float64{0.1, 0.5, 1}[r.IntN(3)]
	}
	s.Traits, s.Back = t.traits(), t.between(100*time.Millisecond, 5*time.Second)

	n := 4 + t.IntN(9)
	at := time.Duration(0)
	for range n {
		at += t.between(0, 6*time.Second)
		if t.IntN(3) == 0 {
			at += t.between(0, 20*time.Second)
		}
		t.send(at)
	}
	if !s.Calm {
		for range 1 + t.IntN(6) {
			t.trouble(t.between(0, at+10*time.Second))
		}
	}
	slices.SortStableFunc(s.Events, func(a, b event) int { return int(a.At - b.At) })
	return s
}

func (t *teller) between(a, b time.Duration) time.Duration {
	return (a + time.Duration(t.Int64N(int64(b-a)+1))).Truncate(time.Millisecond)
}

// often returns the first most of the time, and one of the others else.
func often[T any](t *teller, usual T, others ...T) T {
	if t.IntN(3) > 0 {
		return usual
	}
	return others[t.IntN(len(others))]
}

func (t *teller) traits() traits {
	tr := traits{
		Width: often(t, 120, 48, 80), Joined: t.IntN(4) == 0,
		Read: t.between(0, 60*time.Millisecond), Draw: t.between(0, 150*time.Millisecond),
		Start: t.between(0, 4*time.Second), Begin: t.between(0, 500*time.Millisecond), Gap: t.between(0, 300*time.Millisecond),
		Work: t.between(50*time.Millisecond, 4*time.Second), Fold: often(t, 0, 120), Report: t.between(0, 500*time.Millisecond),
		Reports: t.IntN(5) > 0, ShortID: t.IntN(4) == 0,
	}
	if !t.p.HasMarkers() {
		tr.Mute, tr.Fold, tr.Start = t.IntN(3) == 0, 0, t.between(0, 900*time.Millisecond)
		tr.Lines = t.IntN(2) == 0
	}
	// Without its reports nobody could know what it drops.
	tr.DropsBegin = t.s.Profile == "gemini" && tr.Reports && t.s.Lost == 0
	if !t.s.Calm && !tr.DropsBegin {
		tr.Draw = often(t, tr.Draw, 2*time.Second)
		tr.Begin = often(t, tr.Begin, 1500*time.Millisecond)
	}
	if !t.s.Calm {
		tr.Work = often(t, tr.Work, 15*time.Second)
		if tr.Draw < time.Second { // else a person's key could clear a text that still shows
			tr.Read = often(t, tr.Read, 800*time.Millisecond)
		}
		tr.Report = often(t, tr.Report, 3*time.Second)
	}
	return tr
}

func (t *teller) send(at time.Duration) {
	e := event{At: at, Do: "send", What: "normal"}
	switch n := t.IntN(12); {
	case n == 0:
		e.What = "urgent"
	case n == 1:
		e.What = "high"
	}
	if t.IntN(6) == 0 {
		e.N = 1 // a longer text
	} else if t.IntN(12) == 0 {
		e.N = 2 // too long for a terminal
	}
	t.s.Events = append(t.s.Events, e)
}

// trouble adds one thing that gets into the way.
func (t *teller) trouble(at time.Duration) {
	e := event{At: at, Do: troubles[t.IntN(len(troubles))], For: t.between(50*time.Millisecond, 15*time.Second), N: 1 + t.IntN(3)}
	switch e.Do {
	case "draft":
		e.What = []string{"clears it", "submits it", "leaves it", "pastes it"}[t.IntN(4)]
	case "daemon dies":
		e.N, e.For = 1+t.IntN(60), 0
		e.What = often(t, "at once", "late")
	case "tmux":
		e.What = []string{"lost", "broken", "before", "after"}[t.IntN(4)] + " " + []string{"paste", "key", "screen", "info", "run"}[t.IntN(5)]
		e.For = often(t, t.between(0, 2*time.Second), 12*time.Second, 70*time.Second)
	case "database":
		e.What = []string{"lost", "error", "slow", "late error"}[t.IntN(4)] + " " + []string{"pending", "typing", "claim", "advance"}[t.IntN(4)]
		e.For = often(t, t.between(0, 500*time.Millisecond), 5*time.Second)
	case "retry":
		e.N = 1 + t.IntN(8)
	case "lose keys", "break keys":
		e.For = 0
	case "late key":
		e.For = t.between(100*time.Millisecond, 8*time.Second)
	case "shell":
		e.What = often(t, "bash", "less")
	case "server dies":
		e.What = often(t, "", "in a claim")
	}
	t.s.Events = append(t.s.Events, e)
}

var troubles = []string{
	"dialog", "dialog", "dialog", "draft", "draft", "draft", "prompt", "scroll", "scroll", "attach",
	"lose keys", "lose keys", "break keys", "late key", "late key", "hang", "hang", "stall",
	"program dies", "daemon dies", "daemon dies", "daemon dies", "daemon stops", "tmux", "tmux", "tmux", "server dies",
	"database", "database", "shell", "input off", "synchronized", "resize", "retry", "retry", "force", "blocked",
	"stopping", "stranger", "pause", "fetch", "work",
}

// newWorld returns a world in which the story is about to begin.
func newWorld(s *story, set *profile.Set, looks *readings, keepLog bool) *world {
	w := &world{
		story: s, began: time.Now(), buffers: map[string]string{}, forced: map[string]bool{}, keepLog: keepLog, looks: looks,
	}
	w.watch.w = w
	w.set = set
	w.agent = parley.Agent{ID: agentID, Name: "bob", Kind: parley.KindTerminal, State: parley.StateIdle, Profile: s.Profile}
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
	w.instance = fmt.Sprintf("%d/%d", 100+w.servers, time.Now().Unix())
}

// launch starts the program in a new pane.
func (w *world) launch() {
	w.launches++
	tr := &w.story.Traits
	f := faces[w.story.Profile]
	g := &program{
		w: w, p: must(w.set.Find(w.story.Profile)), face: &f, width: tr.Width, born: time.Now(), alive: true, started: w.launches,
	}
	w.pane = &simPane{
		w: w, id: "%1", program: g, drawn: time.Now(), options: map[string]string{"@parley_agent": agentID, "@parley_seq": "0"},
	}
	g.pane = w.pane
	g.shown = f.draw(&view{blank: true})
	w.after(tr.Start, func() {
		if g.alive {
			g.raw = !tr.Lines
			g.unread = nil // what was typed before is dropped
			g.drawSoon()
		}
	})
}

// tell runs the story, and returns what it broke.
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

// open is how many deliveries have not ended.
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
	if w.daemon != nil {
		if t := w.daemon.m.Terminal(); t != nil {
			t.Stopping.Store(false)
		}
		w.daemon.wakeUp()
	}
	if w.instance == "" {
		w.newServer()
	}
	if w.pane == nil || w.pane.dead {
		w.relaunch()
	}
	p := w.pane
	g := p.program
	p.inputOff, p.shared, p.mode = false, false, false
	p.options["@parley_agent"] = agentID
	g.shell, g.blocked, g.dialog = "", false, false
	g.lose, g.breaks, g.late, g.hung, g.stalled = 0, 0, 0, time.Time{}, time.Time{}
	g.readSoon()
	typing, _ := w.store.Typing(nil, agentID)
	g.composer = slices.DeleteFunc(g.composer, func(c piece) bool {
		return !slices.ContainsFunc(typing, func(j store.Job) bool { return parley.Short(j.Message.ID) == c.msg })
	})
	g.clearLine()
	g.drawSoon()
	w.after(time.Second, func() { p.attached = false })
}

// run lets the world go on until a time.
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
		to := until
		if next, ok := w.next(); ok && next.Before(to) {
			to = next
		}
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

func (w *world) relaunch() {
	if w.instance == "" {
		w.newServer()
	}
	if w.daemon != nil {
		w.daemon.lose("the agent was stopped")
		w.daemon.m.Reports.Forget()
	}
	w.launch()
	w.agent.State, w.agent.Evidence = parley.StateStarting, ""
	if w.daemon != nil {
		w.daemon.m.SetAgent(w.agent)
		w.daemon.attach(time.Now())
		w.daemon.wakeUp()
	}
	w.note("the program is launched again")
}

// accept stores a message and hands it over.
func (w *world) accept(e event) {
	n := len(w.messages) + 1
	text := fmt.Sprintf("message %d", n)
	m := &message{
		Message: parley.Message{
			ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0xa1b2c000+n*7919), Sender: "ann", SenderID: "12345678-0000",
			Text: text, Kind: parley.KindDirect, Priority: parley.Priority(e.What), Timestamp: time.Now(),
		},
		key: store.Key{MessageSeq: int64(n), RecipientID: agentID}, queued: time.Now(),
	}
	body := m.Message
	switch e.N {
	case 1:
		body.Text += " " + strings.Repeat("and please look at the tests ", 6) + "\nin two lines"
	case 2:
		body.Text += strings.Repeat(" and one more sentence for the whole team to read", 100)
	}
	w.messages = append(w.messages, m)
	job := w.store.add(body, m.key)
	w.note("%s is accepted, %s", text, e.What)
	w.hand(job)
}

func (w *world) hand(job store.Job) {
	if w.daemon != nil {
		w.daemon.m.Enqueue(job)
		w.daemon.wakeUp()
	}
}

var _ = team.IsUrgent
