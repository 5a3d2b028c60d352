package courier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/store"
)

// A third of the programs have a door of their own. It can lose a letter, keep it for long, answer late, twice or
// nonsense, close, drop what it has, and it dies with its program.

// doorTraits describe the door of a program.
type doorTraits struct {
	Door     string        // "": none; "tells" of each letter, or only "reports" the prompt
	Setting  string        // of the agent
	Answers  time.Duration // until a call is answered
	Doubles  bool          // it takes a letter of the same id again
	Yields   bool          // it gives back what it keeps
	Steers   bool          // urgent letters go into the turn that runs, as its operator allows
	Outlives bool          // what it keeps is there again when its program is back
	Lies     bool          // what came while a question was open lies there after the answer, until the next prompt
}

// inbox is what a program has got through its door.
type inbox struct {
	letters []letterIn      // that no turn holds yet
	lying   bool            // they lie there until the next prompt
	seen    map[string]bool // ids that it has taken
	gone    map[string]bool // ids that a session had which is gone, before a turn held them
	held    map[string]bool // ids that a turn holds
	dropped map[string]bool // ids that it says it will not read
	closed  time.Time       // until then
	silent  time.Time       // it does not answer until then
	loses   int             // how many letters it still loses, without a word
	drops   int             // how many it still drops, and says so
}

// letterIn is one of them.
type letterIn struct {
	id    string
	piece piece
	steer bool

	argument bool // the program was started with it
}

var errNonsense = errors.New("its answer is no answer")

// inherit takes over what the program before had, where that outlives it.
func (g *program) inherit(before *program) {
	g.seen, g.held, g.dropped, g.gone = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	if before == nil || !g.w.story.Traits.Outlives {
		return
	}
	g.letters, g.lying = before.letters, before.lying
	g.seen, g.held, g.dropped, g.gone = before.seen, before.held, before.dropped, before.gone
	g.w.after(time.Second, g.readLetters)
}

// Door returns the door of the program that a terminal was made for.
func (h worldHost) Door(ctx context.Context, m *team.Member, t *team.Terminal, any bool) (openDoor, error) {
	own, err := h.own(ctx, t)
	if !any || h.w.story.Traits.Hooks == "" {
		return own, err
	}
	d := hookDoor{w: h.w, none: err}
	d.worldDoor, _ = own.(worldDoor)
	return d, nil
}

func (h worldHost) own(ctx context.Context, t *team.Terminal) (openDoor, error) {
	g := h.program(t)
	if g != nil && h.w.story.Traits.Door != "" && time.Until(g.silent) > 0 {
		if err := h.w.sleep(ctx, time.Until(g.silent)); err != nil {
			return nil, err
		}
	}
	switch {
	case h.w.story.Traits.Door == "":
		return nil, nil
	case h.w.story.Traits.Door == "newer":
		return nil, &door.UntriedError{Version: "3.0.0", Tried: []string{"2.0.0"}}
	case g == nil || !g.alive || g.shell != "" || g.closed.After(time.Now()):
		return nil, fmt.Errorf("%w: nobody listens", door.ErrClosed)
	}
	return worldDoor{h.w, g}, nil
}

// worldDoor is the door of one program.
type worldDoor struct {
	w *world
	g *program
}

// call carries a call out, as one of tmux is. What a program that is silent does with it, it does all the same.
func (d worldDoor) call(ctx context.Context, kind string, do func()) error {
	w, g := d.w, d.g
	if err := over(ctx); err != nil {
		return err
	}
	w.step()
	if !g.alive || g.closed.After(time.Now()) {
		return fmt.Errorf("%w: nobody listens", door.ErrClosed)
	}
	wait := max(w.story.Traits.Answers, time.Until(g.silent))
	if time.Until(g.silent) > 0 { // it takes what waits when it goes on
		w.on(g.silent, func() {
			if g.alive {
				do()
			}
		})
	} else {
		do()
	}
	w.dieAfter(kind)
	if wait > 0 {
		if err := w.sleep(ctx, wait); err != nil {
			return err
		}
	}
	w.step()
	if !g.alive {
		return errors.New("the connection was reset")
	}
	return nil
}

// Give hands a letter over.
func (d worldDoor) Give(ctx context.Context, l door.Letter) error {
	d.w.watch.gives(d.g, l)
	err := d.call(ctx, "give", func() { d.g.takeLetter(l) })
	d.w.messageIn(l.Text).shutOut = errors.Is(err, door.ErrClosed)
	return err
}

// Ask tells what has become of one.
func (d worldDoor) Ask(ctx context.Context, l door.Letter) (answer door.Answer, err error) {
	answer = door.Answer{Fate: door.Unknown}
	err = d.call(ctx, "ask", func() { answer = d.g.tells(l.ID) })
	if err != nil && d.w.chance("nonsense", len(d.w.log)+d.w.happened) < 0.5 {
		err = errNonsense
	}
	return answer, err
}

// Withdraw takes one back.
func (d worldDoor) Withdraw(ctx context.Context, l door.Letter) (back bool, err error) {
	err = d.call(ctx, "withdraw", func() {
		at := slices.IndexFunc(d.g.letters, func(in letterIn) bool { return in.id == l.ID })
		if back = d.w.story.Traits.Yields && at >= 0; back {
			d.g.letters = slices.Delete(d.g.letters, at, at+1)
			delete(d.g.seen, l.ID)
			d.w.messageIn(l.Text).given = false
			d.w.watch.goesBack(d.g.letters[at:], d.w.messageIn(l.Text))
			d.w.note("%s is given back", d.w.messageIn(l.Text).Text)
		}
	})
	return back && err == nil, err
}

// tells says what a program tells of a letter.
func (g *program) tells(id string) door.Answer {
	say := func(f door.Fate) door.Answer { return door.Answer{Fate: f, Evidence: "it says " + string(f)} }
	switch {
	case g.dropped[id]:
		return say(door.Dropped)
	case g.w.story.Traits.Door == "reports", g.gone[id]:
		return say(door.Unknown)
	case g.held[id]:
		return say(door.Read)
	case g.seen[id]:
		return say(door.Queued)
	}
	return say(door.Absent)
}

// tellsOf reports whether a program keeps a message, and was there to say so while anybody can have asked.
func (g *program) tellsOf(m *message) bool {
	since := time.Now().Add(-2 * doorAnswers)
	open := g.alive && !g.closed.After(since) && !g.silent.After(since)
	return open && g.w.story.Traits.Door == "tells" &&
		slices.ContainsFunc(g.letters, func(in letterIn) bool { return in.id == m.ID && in.piece.at.Before(since) })
}

// takeLetter takes a letter in.
func (g *program) takeLetter(l door.Letter) {
	m := g.w.messageIn(l.Text)
	again := g.seen[l.ID]
	switch {
	case g.loses > 0:
		g.loses--
		g.w.note("%s is lost at the door", m.Text)
		return
	case again && !g.w.story.Traits.Doubles:
		g.w.note("%s came again", m.Text)
		return
	case g.drops > 0:
		g.drops--
		g.dropped[l.ID] = true
		g.w.note("%s is dropped at the door", m.Text)
		return
	}
	m.given, g.seen[l.ID], g.lying = true, true, false
	text := piece{text: l.Text, msg: m.short(), at: time.Now(), whole: true}
	g.letters = append(g.letters, letterIn{id: l.ID, piece: text, steer: l.Steer})
	g.readLetters()
}

// readLetters begins a turn on what came in, once it has nothing else to do.
func (g *program) readLetters() {
	if !g.alive || len(g.letters) == 0 || g.lying {
		return
	}
	if g.working || g.begins > 0 || g.dialog || g.blocked || !g.begun || g.behind {
		if g.w.story.Traits.Steers && g.working && !g.dialog && !g.behind {
			g.steerLetters()
		}
		g.w.after(200*time.Millisecond, g.readLetters)
		return
	}

	var pieces []piece
	for _, l := range g.letters {
		g.held[l.id] = !g.signedOut
		pieces = append(pieces, l.piece)
	}
	g.letters = nil
	g.w.watch.submitted(g, pieces, chunk{who: "door"}, g.signedOut)
	g.above = append(g.above, joined(pieces))
	g.answers = false
	if g.signedOut {
		g.refuse(pieces)
	} else {
		g.beginSoon(pieces, g.w.story.Traits.Begin)
	}
	g.drawSoon()
}

// steerLetters takes what is for the turn that runs into it.
func (g *program) steerLetters() {
	var pieces []piece
	g.letters = slices.DeleteFunc(g.letters, func(l letterIn) bool {
		g.w.watch.steers(l)
		if l.steer {
			g.held[l.id] = true
			pieces = append(pieces, l.piece)
		}
		return l.steer
	})
	if pieces == nil {
		return
	}

	g.w.watch.submitted(g, pieces, chunk{who: "door"}, false)
	g.above = append(g.above, joined(pieces))
	g.drawSoon()
}

// befallDoor makes an event happen at the door. It reports whether it is one.
func (g *program) befallDoor(e event) bool {
	switch e.Do {
	case "door closes":
		g.closed = time.Now().Add(e.For)
	case "door is silent":
		g.silent = attempt.Later(g.silent, time.Now().Add(e.For)) // what it takes then, it takes in order
	case "door loses":
		g.loses += e.N
	case "door drops":
		g.drops += e.N
	case "session changes": // what waited there is gone, and nobody knows of it
		for _, l := range g.letters {
			g.gone[l.id] = true
		}
		g.letters = nil
	default:
		return false
	}
	return true
}

// addDoor gives the program a door, in some stories.
func (t *teller) addDoor(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 3))
	s, tr := t.s, &t.s.Traits
	if !t.p.HasMarkers() || tr.DropsBegin || o.IntN(3) > 0 { // no program with a door drops so
		return
	}
	tr.Door, tr.Setting = "tells", often(&o, "", "always", "when_held")
	if t.p.Reports.Prompts() && tr.Reports && s.Lost == 0 && o.IntN(2) == 0 {
		tr.Door = "reports"
	}
	tr.Answers = often(&o, o.between(0, 50*time.Millisecond), o.between(0, 2*time.Second))
	tr.Doubles = o.IntN(3) == 0
	tr.Lies = tr.Door == "tells" && !s.Calm && o.IntN(3) == 0
	tr.Yields = o.IntN(2) == 0
	tr.Outlives = o.IntN(3) == 0
	if s.Calm {
		return
	}
	for range o.IntN(4) {
		s.Events = append(s.Events, event{
			At: o.between(0, end+5*time.Second), For: o.between(50*time.Millisecond, 15*time.Second), N: 1 + o.IntN(2),
			Do: []string{"door closes", "door is silent", "door loses", "door drops", "session changes"}[o.IntN(5)],
		})
	}
	at := end + o.between(0, 10*time.Second)
	sent := 1
	for _, e := range s.Events {
		if e.Do == "send" {
			sent++
		}
	}
	switch o.IntN(6) {
	case 0: // longer than it may say nothing
		o.send(at + time.Second)
		s.Events = append(s.Events, event{At: at, Do: "dialog", For: o.between(35*time.Second, time.Minute)})
	case 1: // its keys are lost, and a retry comes before somebody has answered
		o.send(at)
		s.Events = append(s.Events, event{At: at, Do: "lose keys", N: 3},
			event{At: at + 30*time.Second, Do: "dialog", For: 10 * time.Second},
			event{At: at + 31*time.Second, Do: "retry", N: sent})
	case 2: // it lies there until the next prompt, and another daemon comes, or a retry, or both
		tr.Lies = tr.Lies || tr.Door == "tells"
		o.send(at + time.Second)
		s.Events = append(s.Events, event{At: at, Do: "dialog", For: 5 * time.Second})
		at += o.between(20*time.Second, time.Minute)
		if o.IntN(3) > 0 {
			s.Events = append(s.Events, event{At: at, Do: "daemon dies", N: 1 + o.IntN(60), What: "at once"})
		}
		if o.IntN(3) == 0 {
			s.Events = append(s.Events, event{At: at + o.between(0, 20*time.Second), Do: "retry", N: sent})
		}
		o.send(at + o.between(0, 20*time.Second))
	case 3: // it is lost, and the database does not take that it is unconfirmed
		o.send(at + time.Second)
		s.Events = append(s.Events, event{At: at, Do: "door loses", N: 1},
			event{At: at + o.between(20*time.Second, 30*time.Second), Do: "database", What: "lost advance"})
	}
	if o.IntN(3) == 0 {
		s.Events = append(s.Events, event{
			At: o.between(0, end), Do: "daemon dies after",
			What: []string{"give", "ask", "withdraw"}[o.IntN(3)] + ", " + meddling[o.IntN(len(meddling))],
			N:    o.IntN(12), For: o.between(50*time.Millisecond, 15*time.Second),
		})
	}
}

// addSteering lets urgent messages into the turns of the program, in some stories.
func (t *teller) addSteering(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 4))
	tr := &t.s.Traits
	if tr.Door != "tells" || tr.Lies || o.IntN(2) > 0 {
		return
	}

	tr.Steers, tr.Setting = true, often(&o, "always", tr.Setting)
	o.send(end)
	at := end + o.between(0, time.Second) + tr.Begin + tr.Read
	t.s.Events = append(t.s.Events, event{At: at, Do: "send", What: "urgent"})
	if !t.s.Calm { // it comes during the look for another one
		at = end + o.between(5*time.Second, 20*time.Second)
		t.s.Events = append(t.s.Events,
			event{At: at, Do: "tmux", What: "before screen", For: 2 * time.Second},
			event{At: at + 100*time.Millisecond, Do: "send", What: "normal"},
			event{At: at + time.Second, Do: "send", What: "urgent"})
	}
}

// addClosing closes the door while a message is claimed for it, in some stories.
func (t *teller) addClosing(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 5))
	if t.s.Traits.Door == "" || t.s.Calm || o.IntN(8) > 0 {
		return
	}

	at := end + o.between(0, 10*time.Second)
	t.s.Events = append(t.s.Events, event{At: at, Do: "dialog", For: 5 * time.Second},
		event{
			At: at, Do: "in a claim", What: "door closes", For: o.between(10*time.Millisecond, 90*time.Millisecond),
		})
	o.send(at + time.Second)
}

// takenAlong returns a message that its program says it has read by now, and that is unconfirmed as one of which it
// says nothing.
func (w *world) takenAlong() *message {
	if w.pane == nil || w.pane.dead || !w.pane.program.alive || w.story.Traits.Door != "tells" {
		return nil
	}
	silent, _ := w.store.Silent(context.Background(), agentID)
	for _, job := range silent {
		if m := w.messages[job.Key.MessageSeq-1]; w.pane.program.tells(m.ID).Fate == door.Read {
			return m
		}
	}
	return nil
}

// gives checks what is handed over.
func (v *watch) gives(g *program, l door.Letter) {
	m := v.w.messageIn(l.Text)
	row := v.w.store.find(m.key)
	v.w.note("%s is given", m.Text)
	if row.job.State != parley.DeliveryTyping || !row.job.Door {
		v.w.violate(promiseClaim, "%s is given and is %s, for the door %v", m.Text, row.job.State, row.job.Door)
	}
	v.by, v.issued = v.w.hosts.acting, time.Now()
	v.leasedAt(m.Text)
	if slices.ContainsFunc(g.composer, func(p piece) bool { return p.msg == m.short() }) {
		v.w.violate(promiseOnce, "%s is given although it stands in the terminal", m.Text)
	}
}

// goesBack checks that a message is not taken back from among those that the program was given after it.
func (v *watch) goesBack(behind []letterIn, m *message) {
	for _, l := range behind {
		after := v.w.messageNamed(l.piece.msg)
		same := (after.Priority == parley.PriorityUrgent) == (m.Priority == parley.PriorityUrgent)
		inside := v.w.store.find(after.key).job.State == parley.DeliveryTyping
		if inside && same && m.retries == 0 && after.retries == 0 {
			v.w.violate(promiseOrder, "%s is taken back, and %s stays in the program", m.Text, after.Text)
		}
	}
}

// steers checks what of the letters is for the turn that runs.
func (v *watch) steers(l letterIn) {
	m := v.w.messageNamed(l.piece.msg)
	if urgent := m.Priority == parley.PriorityUrgent; l.steer != urgent {
		v.w.violate(promiseSteer, "%s is given as one for it: %v", m.Text, l.steer)
	}
}

// inOrder checks that nothing is taken from the terminal before what the program has had through its door
// for longer.
func (v *watch) inOrder(g *program, m *message, who string) {
	if who != "" {
		return
	}
	for _, l := range g.letters {
		before := v.w.messageNamed(l.piece.msg)
		row := v.w.store.find(before.key)
		same := (before.Priority == parley.PriorityUrgent) == (m.Priority == parley.PriorityUrgent)
		if same && row.job.State == parley.DeliveryTyping && before.key.MessageSeq < m.key.MessageSeq &&
			m.retries == 0 && l.piece.at.Before(m.pastedAt) {
			v.w.violate(promiseOrder, "%s is typed and taken before %s, which the program has", m.Text, before.Text)
		}
	}
}

// endsAtDoor checks the verdict on a message that was claimed for the door.
func (v *watch) endsAtDoor(m *message, c store.Change) {
	g := (*program)(nil)
	if v.w.pane != nil {
		g = v.w.pane.program
	}
	lives := g != nil && g.alive && v.w.instance != "" && m.on == v.w.pane
	waits := lives && slices.ContainsFunc(g.letters, func(l letterIn) bool { return l.id == m.ID })
	argument := v.w.store.find(m.key).job.Argument // whether its program ever takes that, nobody can know
	switch c.State {
	case parley.DeliverySubmitted, parley.DeliveryRead:
		if len(m.got) == 0 {
			v.w.violate(promiseProof, "%s is %s by %s", m.Text, c.State, c.Code())
		}
	case parley.DeliveryUnconfirmed:
		v.losesAgain(m, c)
		if lives && v.w.story.Traits.Door == "tells" && !argument && !m.given && !g.dropped[m.ID] && len(m.got) == 0 &&
			!g.closed.After(time.Now()) && !g.silent.After(time.Now()) {
			v.w.violate(promiseCertain, "%s was never given, and is unconfirmed: %s", m.Text, c.Words())
		}
		if m.shutOut && m.by == v.w.daemon { // else the one that met it died before it could say so
			v.w.violate(promiseCertain, "%s met a closed door, and is unconfirmed: %s", m.Text, c.Words())
		}
		if at, ok := v.w.daemon.m.NamedAt(m.short()); ok && !m.refused && m.given && !m.named.IsZero() &&
			v.w.settled(at, time.Now()) && at.After(m.queued) {
			v.w.violate(promiseCertain, "the program has named %s, which is unconfirmed: %s", m.Text, c.Words())
		}
		if waits && !g.lying && g.asks != "form" { // which looks like a composer
			v.w.violate(promiseWaits, "%s waits in its program, and is unconfirmed: %s", m.Text, c.Words())
		}
	case parley.DeliveryHeld, parley.DeliveryQueued:
		if v.w.store.find(m.key).job.State != parley.DeliveryTyping {
			return // the database does not take that
		}
		if waits || argument && m.given || lives && m.given && len(m.got) > m.retries {
			v.w.violate(promiseOnce, "%s is given, and %s again: %s", m.Text, c.State, c.Words())
		}
	}
}
