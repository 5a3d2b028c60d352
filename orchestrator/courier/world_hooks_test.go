package courier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"parley"
	"parley/program/door"
	"parley/store"
)

// Some programs wait for hooks, after their tools and at the end of their turns, and take what those print into the
// turn that runs. A hook can die before it prints, and be given up by its program.

// hookTraits describe the hooks of a program.
type hookTraits struct {
	Hooks  string        // "": none; its transcript "tells" of what they gave, or it "reports" that as a prompt
	Tools  int           // how many tools a turn calls
	Prints time.Duration // from the daemon's answer to the program
	Wrote  time.Duration // from there to the transcript
}

// hooking is what the hooks of a program do.
type hooking struct {
	waits  *worldHook // the one that waits, or is about to print
	again  bool       // the turn that runs went on by a hook
	spurns int        // how many texts that are printed it still gives up
	broken int        // how many hooks still die before they print
	hasty  int        // how many still go on just before they are given a text

	silentFor *daemon // that knows that it says nothing of what a hook took
	lostID    string  // of that
}

// worldHook is a hook that waits.
type worldHook struct {
	w      *world
	g      *program
	d      *daemon
	end    bool
	turn   int
	then   func(taken *letterIn) // the program goes on
	taking bool
	over   bool
}

// hookedIn is what the transcript of a program says of a letter that a hook took.
type hookedIn struct{ written time.Time }

// hookWaits is how long a hook waits in this world.
const hookWaits = 700 * time.Millisecond

// calls makes a hook wait, if the program has one and a daemon answers. then is called once, with what it printed.
func (g *program) calls(end bool, then func(taken *letterIn)) {
	w := g.w
	if w.story.Traits.Hooks == "" || w.daemon == nil || g.waits != nil {
		then(nil)
		return
	}
	h := &worldHook{w: w, g: g, d: w.daemon, end: end, turn: g.turn, then: then}
	if !h.d.c.o.calls.add(agentID, h, g.again) {
		then(nil)
		return
	}
	g.waits = h
	h.d.m.Wake()
	h.d.wakeUp()
	w.after(hookWaits, func() { h.goOn(nil) })
}

// goOn ends the wait, unless it is over or the hook has something to print.
func (h *worldHook) goOn(taken *letterIn) {
	if h.over || h.taking && taken == nil {
		return
	}
	h.over = true
	h.d.c.o.calls.end(agentID, h, h.taking)
	if h.g.waits == h {
		h.g.waits = nil
	}
	if h.g.alive {
		h.then(taken)
	}
}

// Moment implements hook.
func (h *worldHook) Moment() door.Moment {
	return door.Moment{AtEnd: h.end, Alters: func(string) bool { return false }}
}

// Pass implements hook.
func (h *worldHook) Pass() {
	h.w.after(0, func() { h.goOn(nil) })
}

// Give hands a letter over.
func (h *worldHook) Give(ctx context.Context, l door.Letter) error {
	w, g := h.w, h.g
	w.watch.gives(g, l)
	w.step()
	m := w.messageIn(l.Text)
	if g.hasty > 0 {
		g.hasty--
		h.goOn(nil)
	}
	if h.over || h.taking || !g.alive || ctx.Err() != nil {
		m.shutOut = true
		return fmt.Errorf("%w: its hook has gone on", door.ErrNotNow)
	}
	m.shutOut, m.given, h.taking = false, true, true
	w.hooked[l.ID] = &hookedIn{}
	in := &letterIn{id: l.ID, piece: piece{text: l.Text, msg: m.short(), at: time.Now(), whole: true}}
	lost := g.broken > 0
	if lost {
		g.broken--
	}
	w.after(w.story.Traits.Prints, func() {
		// The daemon can have died before it answered, or just after.
		if lost || !g.alive || w.daemon != h.d && w.chance("answered", len(w.hooked)) < 0.5 {
			w.note("the hook with %s dies", m.Text)
			h.taking = false
			h.goOn(nil)
			return
		}
		h.goOn(in)
	})
	w.dieAfter("give")
	return nil
}

// Ask implements door. The program is asked at its own.
func (*worldHook) Ask(context.Context, door.Letter) (door.Answer, error) { return door.Answer{}, nil }

// Withdraw implements door.
func (*worldHook) Withdraw(context.Context, door.Letter) (bool, error) { return false, nil }

// tool calls a hook in the turn that runs.
func (g *program) tool(turn int) {
	if !g.alive || g.turn != turn || !g.working || g.dialog {
		return
	}
	g.prompt = nil // which has been answered with a tool
	if !g.w.beckons {
		return
	}
	g.calls(false, func(in *letterIn) {
		switch {
		case in == nil:
		case g.spurns > 0 || g.turn != turn || !g.working:
			g.spurns = max(0, g.spurns-1)
			g.w.note("what its hook printed is given up")
		default:
			g.land(in, false)
		}
	})
}

// atEnd calls the hook at the end of a turn. It ends unless that prints something.
func (g *program) atEnd(turn int, end func()) {
	if g.waits != nil {
		g.w.after(20*time.Millisecond, func() { g.finish(turn) })
		return
	}
	g.prompt = nil // there is nothing to take back while it ends
	g.calls(true, func(in *letterIn) {
		if in == nil || g.spurns > 0 {
			if in != nil {
				g.spurns--
				g.w.note("what its hook printed is given up")
			}
			g.again = false
			end()
			return
		}
		g.again = true
		g.land(in, true)
		g.turn++
		next := g.turn
		g.w.after(g.w.story.Traits.Work, func() { g.finish(next) })
	})
}

// land puts what a hook printed into the turn.
func (g *program) land(in *letterIn, end bool) {
	w := g.w
	w.watch.lands(g, in, end)
	w.watch.submitted(g, []piece{in.piece}, chunk{who: "door"}, false)
	if end {
		g.above, g.answers = append(g.above, in.piece.text), false
		if n := len(g.above); n > 2 {
			g.above = g.above[n-2:]
		}
		g.drawSoon()
	}
	switch w.story.Traits.Hooks {
	case "reports":
		g.report("idle", nil)
		g.reportPrompt([]piece{in.piece})
	case "tells":
		w.after(w.story.Traits.Wrote, func() { w.hooked[in.id].written = time.Now() })
	}
}

// lands checks that what a hook gave is for that turn, and does not overtake what its program has in its own queue.
func (v *watch) lands(g *program, in *letterIn, end bool) {
	m := v.w.messageNamed(in.piece.msg)
	if !end && m.Priority != parley.PriorityUrgent {
		v.w.violate(promiseSteer, "%s goes into the turn that runs", m.Text)
	}
	for _, p := range slices.Concat(g.queue...) {
		if before := v.w.messageNamed(p.msg); p.msg != "" && before.key.MessageSeq < m.key.MessageSeq &&
			before.Priority == m.Priority && before.retries == 0 && m.retries == 0 && before.sawBusy {
			v.w.violate(promiseOrder, "a hook gave %s before %s, which the program has", m.Text, before.Text)
		}
	}
}

// losesAgain checks that hooks get no more once their program says nothing of what one took, as this daemon knows.
func (v *watch) losesAgain(m *message, c store.Change) {
	if v.w.hooked[m.ID] == nil || c.Code() != parley.EndedDoorSilent || m.by != v.w.daemon ||
		v.w.pane == nil || m.on != v.w.pane {
		return
	}
	g := v.w.pane.program
	if g.silentFor == v.w.daemon && g.lostID != m.ID {
		v.w.violate(promiseCertain, "%s is lost at a hook after another one was", m.Text)
	}
	g.silentFor, g.lostID = v.w.daemon, m.ID
}

// hookDoor is what a program is asked at of letters that hooks took, and its other door, if it has one.
type hookDoor struct {
	w *world
	worldDoor
	none error // why it has no other
}

// Ask implements door.
func (d hookDoor) Ask(ctx context.Context, l door.Letter) (door.Answer, error) {
	in := d.w.hooked[l.ID]
	d.w.step()
	switch {
	case in == nil && d.none == nil && d.worldDoor.w != nil:
		return d.worldDoor.Ask(ctx, l)
	case in == nil && d.none != nil:
		return door.Answer{Fate: door.Unknown}, d.none
	case in == nil:
		return door.Answer{Fate: door.Absent, Evidence: "no hook took it"}, nil
	case !in.written.IsZero():
		return door.Answer{Fate: door.Read, Evidence: "its transcript has it"}, nil
	}
	return door.Answer{Fate: door.Unknown, Evidence: "a hook took it"}, nil
}

// Give implements door.
func (d hookDoor) Give(ctx context.Context, l door.Letter) error {
	if d.worldDoor.w == nil {
		return door.ErrClosed
	}
	return d.worldDoor.Give(ctx, l)
}

// Withdraw implements door.
func (d hookDoor) Withdraw(ctx context.Context, l door.Letter) (bool, error) {
	if d.worldDoor.w == nil {
		return false, errors.New("it has no other door")
	}
	return d.worldDoor.Withdraw(ctx, l)
}

// befallHook makes an event happen to hooks. It reports whether it is one.
func (g *program) befallHook(e event) bool {
	switch e.Do {
	case "hooks die":
		g.broken += e.N
	case "hooks are given up":
		g.spurns += e.N
	case "hooks go on":
		g.hasty += e.N
	default:
		return false
	}
	return true
}

// addHooks gives the program hooks that it waits for, in some stories.
func (t *teller) addHooks(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 6))
	s, tr := t.s, &t.s.Traits
	if !t.p.HasMarkers() || tr.DropsBegin || o.IntN(3) > 0 {
		return
	}
	tr.Hooks, tr.Tools = "tells", o.IntN(4)
	if t.p.Reports.Prompts() && tr.Reports && s.Lost == 0 && o.IntN(2) == 0 {
		tr.Hooks = "reports"
	}
	tr.Prints = o.between(5*time.Millisecond, 60*time.Millisecond)
	tr.Wrote = often(&o, o.between(0, 100*time.Millisecond), o.between(0, 3*time.Second))
	for range 1 + o.IntN(4) { // some come while it works
		s.Events = append(s.Events, event{
			At: o.between(0, end), Do: "send", What: often(&o, "normal", "urgent"),
		})
	}
	if s.Calm {
		return
	}
	for range o.IntN(3) {
		s.Events = append(s.Events, event{
			At: o.between(0, end), N: 1 + o.IntN(2), Do: []string{"hooks die", "hooks are given up"}[o.IntN(2)],
		})
	}
	if o.IntN(3) == 0 {
		s.Events = append(s.Events, event{
			At: o.between(0, end), Do: "daemon dies after", What: "give, " + meddling[o.IntN(len(meddling))],
			N: o.IntN(12), For: o.between(50*time.Millisecond, 15*time.Second),
		})
	}
}
