package courier

import (
	"math/rand/v2"
	"slices"
	"time"

	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
)

// A person takes a prompt out of the conversation again, as Escape does before the first word, or recalls one that was
// answered. Either stands in the composer then, alike.

const promiseUndone = "what is taken out of the conversation again does not count as read, and nothing else is undone"

// undoing is what a person has taken out of a program's conversation, or may yet.
type undoing struct {
	prompt  []piece  // of the turn that runs, where it can be taken out
	before  []string // the transcript before it
	undoes  []event  // that come with the next prompts
	entered []piece  // the last prompt
}

// enters notes the prompt of a turn that is about to begin.
func (u *undoing) enters(pieces []piece, before []string) {
	u.entered = pieces
	if u.prompt = nil; len(pieces) == 1 && pieces[0].msg != "" {
		u.prompt, u.before = pieces, slices.Clone(before)
	}
}

// letUndo lets a person take back what the program has just begun on.
func (u *undoing) letUndo(g *program) {
	if u.prompt == nil || len(u.undoes) == 0 {
		return
	}
	e := u.undoes[0]
	u.undoes = u.undoes[1:]
	g.w.attach(g.pane, e.For+3*time.Second)
	g.w.after(time.Duration(e.N)*100*time.Millisecond, func() {
		g.pane.personKey(func() { g.input(chunk{key: "undo", who: "person"}) })
	})
	g.w.after(e.For+g.p.TakenWithin, func() { g.clearsUndone() })
}

// takeBack ends the turn before its first word, and puts its prompt back into the composer.
func (g *program) takeBack() {
	if !g.working || g.prompt == nil || g.dialog || len(g.composer) > 0 || len(g.queue) > 0 {
		return
	}
	m := g.w.messageNamed(g.prompt[0].msg)
	m.undone, m.got = time.Now(), m.got[:len(m.got)-1]
	g.w.note("%s is taken out of the conversation", m.Text)
	g.composer, g.above, g.prompt = g.prompt, g.before, nil
	g.working, g.answers, g.ended = false, false, time.Now()
	g.turn++
	g.drawSoon()
	g.w.after(2*g.w.story.Traits.Draw+100*time.Millisecond, g.w.wakeDaemon) // as its watcher sees that it rests
}

// recall puts the last prompt into the composer once more, as the arrow key does.
func (g *program) recall(d time.Duration) {
	if g.working || g.begins > 0 || g.dialog || !g.begun || len(g.composer) > 0 || len(g.entered) != 1 {
		return
	}
	g.w.attach(g.pane, d+3*time.Second)
	g.pane.personKey(func() { g.input(chunk{key: "recall", who: "person"}) })
	g.w.after(d, func() {
		if g.alive && len(g.composer) == 1 && g.composer[0].msg == g.entered[0].msg {
			g.w.befall(g.pane, event{Do: "clear"})
		}
	})
}

// clearsUndone is a person who clears what they have taken back. By then it must be told.
func (g *program) clearsUndone() {
	if !g.alive || len(g.composer) != 1 || g.composer[0].msg == "" {
		return
	}
	m := g.w.messageNamed(g.composer[0].msg)
	if m.undone.IsZero() {
		return
	}
	if g.w.rested(m) {
		m.toldBack = true
		g.w.watch.undone(m)
	}
	g.w.befall(g.pane, event{Do: "clear"})
}

// rested reports whether a message has stood in the composer for long while nothing was in the way of a look, and the
// daemon is the one that has typed it.
func (w *world) rested(m *message) bool {
	p, g, d := w.pane, w.pane.program, w.daemon
	clear := d != nil && d == m.by && w.instance != "" && !p.dead && !p.mode && !p.shared && !p.inputOff &&
		w.paused == nil && d.m.Terminal() != nil && !d.m.Terminal().Stopping.Load() &&
		len(w.faults.commands) == 0 && len(w.faults.databases) == 0 && p.options["@parley_agent"] == agentID
	rests := g.raw && g.shell == "" && !g.dialog && !g.behind && !g.blocked && !g.refused && !g.working &&
		g.begins == 0 && len(g.unread) == 0
	tr := &w.story.Traits
	from := attempt.Later(m.toldAt, m.named) // what the program only said may stay in the composer until it draws
	if m.emptied {
		from = m.keyAt
	}
	drawn := p.drawn.Truncate(time.Second).After(from) // as tmux tells it
	if long := tr.Fold > 0 && len(g.composer[0].text) >= tr.Fold; long &&
		m.keyAt.Sub(m.pastedAt) > 2*time.Second+tr.Draw+tr.Read {
		return false // what stands for it was not seen as its key was pressed
	}
	since := slices.MaxFunc([]time.Time{p.activity, m.undone, g.hung, g.stalled, w.stuck, w.freed, g.ended},
		time.Time.Compare)
	return clear && rests && drawn &&
		time.Since(since) > max(g.p.TakenWithin, sight.UnshownPause)+4*time.Second+tr.Draw
}

// undone checks the verdict on a message that was taken back, as could be seen.
func (v *watch) undone(m *message) {
	if s := v.w.store.find(m.key).job.State; s.Delivered() && !m.fetched && len(m.got) == 0 {
		v.w.violate(promiseUndone, "%s is taken back, and is %s", m.Text, s)
	}
}

// addUndoing lets people take prompts back, and recall others, in some stories.
func (t *teller) addUndoing(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 6))
	s, tr := t.s, &t.s.Traits
	if s.Calm || s.Shared || !t.p.HasMarkers() || tr.Door != "" || tr.DropsBegin || o.IntN(4) > 0 {
		return
	}
	at := end + o.between(0, 10*time.Second)
	for range 1 + o.IntN(3) {
		e := event{Do: "undo", At: at, N: o.IntN(10), For: o.between(8*time.Second, 25*time.Second)}
		if o.IntN(3) == 0 {
			e = event{Do: "recall", At: at + o.between(5*time.Second, 20*time.Second), For: o.between(time.Second,
				15*time.Second)}
		}
		s.Events = append(s.Events, e)
		o.send(at + o.between(0, 5*time.Second))
		if o.IntN(3) == 0 {
			o.send(at + o.between(0, 20*time.Second))
		}
		if o.IntN(3) == 0 {
			s.Events = append(s.Events, event{Do: "retry", At: at + o.between(8*time.Second, 30*time.Second), N: 1 +
				o.IntN(12)})
		}
		at += o.between(10*time.Second, 40*time.Second)
	}
}
