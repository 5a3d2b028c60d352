package courier

import (
	"math/rand/v2"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/letter"
)

// A program can be launched with a message as its argument. It may take that at once, late or never, or end with a word
// on how it is used. The daemon may die between the claim, the start and the proof.

// launchWith stops the program, and launches it with a message.
func (w *world) launchWith(e event) {
	d := w.daemon
	if d == nil || w.hosts.asleep || !d.m.Typing.TryLock() { // only a daemon launches, and not while it types
		w.after(100*time.Millisecond, func() { w.launchWith(e) })
		return
	}
	defer d.wakeUp()
	defer d.m.Typing.Unlock()
	defer d.m.Started.Store(true)
	if w.instance == "" {
		w.newServer()
	}
	if w.pane != nil {
		w.pane.program.end()
	}
	d.lose("the agent was stopped")
	d.m.Reports.Forget()

	job := w.accept(event{What: "normal", N: e.N >> 2 & 1})
	m := w.messages[job.Key.MessageSeq-1]
	first, _ := w.store.Pending(d.ctx, agentID, 1)
	starts := w.paused == nil && len(first) > 0 && first[0].Key == m.key
	if starts {
		w.watch.claims(m.key, 0)
		must(0, w.store.ClaimArgument(d.ctx, m.key))
		w.note("%s is claimed for the argument", m.Text)
	}
	if e.N&3 == 1 {
		w.pane, w.faults.dieIn = nil, 1
		w.after(w.story.Back+e.For, func() {
			if w.pane == nil {
				w.relaunch()
			}
		})
		return
	}

	w.launch()
	w.agent.State, w.agent.Evidence = parley.StateStarting, ""
	d.m.SetAgent(w.agent)
	if starts {
		w.note("the program is launched with %s, which it takes %s", m.Text, e.What)
		m.given, m.on = true, w.pane
		w.pane.program.startWith(&job.Message, e)
	}
	if e.N&3 == 2 {
		w.faults.dieIn = 1
		return
	}
	d.attach(time.Now())
}

// startWith gives the program its argument.
func (g *program) startWith(m *parley.Message, e event) {
	text := letter.Argument(g.p, m, g.w.daemon.m, g.w.story.Traits.ShortID).Text
	given := piece{text: text, msg: parley.Short(m.ID), at: time.Now(), whole: true}
	l := letterIn{id: m.ID, piece: given, argument: true}
	if e.N&8 != 0 { // its launcher shows what it starts
		g.above = []string{"> agent " + text}
	}
	switch e.What {
	case "late", "at once":
		at := time.Duration(0)
		if e.What == "late" {
			at = e.For
		}
		g.w.after(at, func() {
			g.letters = append([]letterIn{l}, g.letters...)
			g.readLetters()
		})
	case "behind a question":
		g.letters = append([]letterIn{l}, g.letters...)
		g.trusts = e.For
	case "as a wrong one":
		g.w.after(e.For/20, func() { g.w.programDies(g.pane, e.For, 0) })
	}
	g.readLetters()
}

// ownTurn reports whether a turn can begin that is not on a message.
func ownTurn(e event) bool {
	return e.Do == "prompt" || e.Do == "work" || e.What == "submits it" || slices.Contains(meanwhile, e.What)
}

// addLaunches launches the program with a message, in some stories.
func (t *teller) addLaunches(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 7))
	if len(t.p.Handover.Prompt) == 0 || t.s.Shared || o.IntN(4) > 0 {
		return
	}
	at, n := o.between(0, end), 1+o.IntN(3)
	if t.s.Calm { // before anything is sent, and nobody misses a turn
		at, n, t.s.Traits.Work = 0, 1, max(t.s.Traits.Work, 2*time.Second)
	}
	var pauses []event
	for range n {
		e := event{At: at, Do: "launch", What: "at once", N: o.IntN(4) / 3 * 4}
		if !t.s.Calm {
			e.For = o.between(100*time.Millisecond, 40*time.Second)
			e.What = often(&o, "at once", "late", "never", "behind a question", "as a wrong one")
			e.N += []int{0, 0, 1, 2}[o.IntN(4)]
			if o.IntN(4) == 0 && !slices.ContainsFunc(t.s.Events, ownTurn) && !t.s.Traits.Outlives {
				e.N += 8
			}
			if o.IntN(3) == 0 && e.N&8 == 0 {
				t.s.Events = append(t.s.Events, event{At: at + o.between(0, 8*time.Second), Do: "draft",
					What: o.ending(), For: o.between(time.Second, 10*time.Second)})
			}
			if o.IntN(6) == 0 {
				pause := event{At: at, Do: "pause", For: o.between(time.Second, 10*time.Second)}
				pauses = append(pauses, pause) // right behind the launch
			}
			if o.IntN(4) == 0 {
				t.s.Events = append(t.s.Events, event{At: at + o.between(0, 10*time.Second), Do: "daemon dies",
					N: 1 + o.IntN(60), What: "at once"})
			}
		}
		t.s.Events = append(t.s.Events, e)
		if o.IntN(2) == 0 {
			o.send(at + o.between(0, 5*time.Second))
		}
		at += o.between(time.Second, 40*time.Second)
	}
	t.s.Events = append(t.s.Events, pauses...)
}
