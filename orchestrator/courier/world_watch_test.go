package courier

import (
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
	"parley/store"
)

// The promises that the world watches over.
const (
	promiseOnce    = "no message is typed twice"
	promiseLost    = "no message is lost without a word"
	promiseDialog  = "no dialog is answered"
	promiseDraft   = "no draft is changed"
	promiseReader  = "nothing is typed before somebody reads it"
	promiseScreen  = "keys for one screen never land on another"
	promiseAgent   = "nothing is typed into what is not the agent"
	promiseWork    = "no work is interrupted"
	promiseSteer   = "what is urgent goes into the turn that runs where its operator allows that, and nothing else does"
	promiseProof   = "submitted means that the program has it"
	promiseCertain = "unconfirmed hides no certain outcome"
	promiseOrder   = "the order of acceptance is kept"
	promiseClaim   = "nothing is typed before it is claimed"
	promiseEnd     = "every message comes to an end"
	promiseCalm    = "where nothing is in the way, every message is proven"
	promiseApart   = "two messages never become one"
	promiseTold    = "what of a person's own goes with a message is told"
	promiseWaits   = "a text that only waits for its key is not given up"
)

// watch knows what the courier could have seen, and checks that it keeps the promises.
type watch struct {
	w        *world
	captured time.Time // the last look
	looked   time.Time // its answer
	claimed  time.Time
	ready    time.Time // the capture of the look before the claim
	issued   time.Time // the command that types
	known    time.Time // what could be seen when it was issued
	by       *daemon   // who issued it
	on       *simPane  // for which pane: another daemon may have taken over since
	asked    time.Time // the claim, before the database was slow
	reports  int
	foreign  bool      // the pane was another's when tmux last told of it
	unread   time.Time // the courier saw last that the program had not read its terminal for a second
	unreads  time.Time // since when it does see that
	early    bool      // the last claim was made as the message was stored, before the look

	deliveries int
}

// look notes that the screen is read now.
func (v *watch) look() { v.captured = time.Now() }
func (v *watch) answered() {
	v.looked = time.Now()
	if v.early {
		v.ready = v.captured
	}
}

// handsOver notes that a message is stored on an offer. A look from before that counts as one before a claim does.
func (v *watch) handsOver() {
	if v.early && time.Since(v.looked) >= slowClaim {
		v.ready = time.Now()
	}
}

// unclaims notes that a message could not be claimed: what is known of its last claim stands.
func (v *watch) unclaims(k store.Key, before *message, err error) {
	if err != nil {
		m := v.w.messages[k.MessageSeq-1]
		m.keys, m.pasted, m.given, m.shutOut, m.on = before.keys, before.pasted, before.given, before.shutOut, before.on
	}
}

// saw notes how much the courier sees unread.
func (v *watch) saw(unread int) {
	switch now := time.Now(); {
	case unread == 0:
		v.unreads = time.Time{}
	case v.unreads.IsZero():
		v.unreads = now
	case now.Sub(v.unreads) > attempt.SlowRead:
		v.unread = now
	}
}

// seen returns the latest moment of which the courier can know, if it types now.
func (v *watch) seen() time.Time {
	if time.Since(v.looked) <= time.Millisecond {
		return v.captured
	}
	return time.Now()
}

func (v *watch) claims(k store.Key, paneSeq uint64) {
	v.claimed = time.Now()
	v.ready = v.claimed
	if v.claimed.Sub(v.looked) < slowClaim {
		v.ready = v.captured
	}
	v.deliveries++
	m := v.w.messages[k.MessageSeq-1]
	m.keys = 0
	if row := v.w.store.find(k); row.typed && row.job.PaneSeq == paneSeq {
		return // its text stands in the terminal, before all that wait
	}
	m.pasted, m.given, m.shutOut, m.swallowed = false, false, false, false
	m.along, m.by, m.on = "", v.w.daemon, v.w.pane
	if isForced(v.w.daemon.m, m.ID) || v.w.forced[m.ID] {
		return
	}
	for _, r := range v.w.store.rows {
		o := v.w.messages[r.job.Key.MessageSeq-1]
		if o == m || !r.waits() || r.withheld || o.untold || o.queued.After(v.ready) || o.queued.After(v.asked) {
			continue
		}
		urgent, itsUrgent := o.Priority == parley.PriorityUrgent, m.Priority == parley.PriorityUrgent
		if urgent && !itsUrgent || urgent == itsUrgent && o.key.MessageSeq < k.MessageSeq && !o.queued.After(m.queued) {
			v.w.violate(promiseOrder, "%s goes before %s", m.Text, o.Text)
		}
	}
}

// typable checks the conditions that every line that types must check in the same step.
func (v *watch) typable(p *simPane, what string) {
	g := p.program
	switch {
	case p.gone:
	case p.options["@parley_agent"] != agentID:
		v.w.violate(promiseAgent, "%s goes into a pane of %q", what, p.options["@parley_agent"])
	case v.on != p:
		v.w.violate(promiseAgent, "%s goes into another pane", what)
	case p.dead:
		v.w.violate(promiseAgent, "%s goes into a dead pane", what)
	case p.shared:
		v.w.violate(promiseAgent, "%s goes into synchronized panes", what)
	case p.inputOff:
		v.w.violate(promiseLost, "%s goes into a pane that takes no input", what)
	case p.mode:
		v.w.violate(promiseLost, "%s goes to a person who scrolls", what)
	case g.shell != "" && g.shellAt.Before(v.issued):
		v.w.violate(promiseAgent, "%s goes to %s", what, g.shell)
	}
}

// drafts checks that nothing is typed where words of a person stand of which the courier could know.
func (v *watch) drafts(p *simPane, what string, seen time.Time) {
	g := p.program
	check := func(text string, at time.Time) {
		if !g.p.HasMarkers() { // only the person is seen there
			if p.watchedAt(seen) && seen.Sub(p.activity.Truncate(time.Second)) <= sight.TypingPause {
				v.w.violate(promiseDraft, "%s goes where a person types %q", what, text)
			}
			return
		}
		drawn := !g.draftAt.IsZero() && !g.draftAt.After(seen)
		at = at.Truncate(time.Second) // as tmux tells it
		unshown := at.After(p.drawn) && at.After(seen.Add(-sight.UnshownPause)) ||
			!at.Before(seen.Add(-sight.TypingPause))
		late := v.unread.After(at) && v.unread.After(p.drawn.Add(time.Second)) &&
			v.unread.After(seen.Add(-sight.UnshownPause))
		if drawn || late || p.watchedAt(seen) && unshown {
			v.w.violate(promiseDraft, "%s goes where a person has typed %q", what, text)
		}
	}
	for _, c := range g.composer {
		if c.msg == "" {
			check(c.text, c.at)
		}
	}
	for _, c := range g.unread {
		if c.who != "" && c.text != "" {
			check(c.text, c.at)
		}
	}
}

func (v *watch) pasted(p *simPane, text string) {
	m := v.w.messageIn(text)
	v.w.note("paste of %s", m.Text)
	if v.w.store.find(m.key).job.State != parley.DeliveryTyping {
		v.w.violate(promiseClaim, "%s is %s", m.Text, v.w.store.find(m.key).job.State)
	}
	v.typable(p, m.Text)
	v.leasedAt(m.Text)
	if p.gone {
		return
	}
	v.drafts(p, m.Text, v.ready)
	v.belongs(p, m.Text)
	v.early = false
	m.pasted, m.keys, m.pastedAt, m.turn = true, 0, time.Now(), p.program.turn
	m.trusted = v.w.trusts
	if m.pastes++; m.pastes > 1+m.retries+m.swallows {
		v.w.violate(promiseOnce, "%s is pasted %d times, with %d retries", m.Text, m.pastes, m.retries)
	}
	if p.program.tellsOf(m) {
		v.w.violate(promiseOnce, "%s is typed while its program says that it has it", m.Text)
	}
	v.w.current = m
}

func (v *watch) pressed(p *simPane, key string) {
	m := v.entering(p)
	v.w.note("%s of %s", key, m.Text)
	v.typable(p, "the key")
	v.leasedAt("the key")
	if p.gone {
		return
	}

	seen, g := v.known, p.program
	if v.w.store.find(m.key).job.Code() == parley.EndedUndone {
		v.w.violate(promiseUndone, "the key of %s is pressed, which was taken back", m.Text)
	}
	m.keyAt, m.sawBusy = time.Now(), !g.busyAt.IsZero() && !g.busyAt.After(v.captured)
	if m.keys++; m.keys > 2 {
		v.w.violate(promiseOnce, "the key of %s is pressed %d times", m.Text, m.keys)
	}
	if m.keys > 1 && g.alive &&
		slices.ContainsFunc(g.unread, func(c chunk) bool { return c.key != "" && c.who == "" }) {
		v.w.violate(promiseOnce, "the key of %s is pressed while the first is unread", m.Text)
	}
	if g.shell != "" {
		return
	}
	if !g.behindAt.IsZero() && !g.behindAt.After(seen) {
		v.w.violate(promiseAgent, "the key goes to a shell behind the terminal")
	}
	v.drafts(p, "the key", seen)
	if !g.dialogAt.IsZero() && !g.dialogAt.After(seen) {
		v.w.violate(promiseDialog, "the key of %s comes in front of one", m.Text)
	}
	interrupts := v.w.agent.Interruptible && m.Priority == parley.PriorityUrgent
	if !g.busyAt.IsZero() && !g.busyAt.After(seen) && key != g.p.QueueKey && !interrupts {
		v.w.violate(promiseWork, "the key of %s comes while it works", m.Text)
	}
}

func (v *watch) submitted(g *program, pieces []piece, c chunk, dropped bool) {
	ours := 0
	for i, p := range pieces {
		if i > 0 && p.msg == "" && pieces[i-1].msg != "" && !dropped && g.lookedAt(p) {
			v.w.messageNamed(pieces[i-1].msg).along = strings.TrimSpace(p.text)
		}
		if p.msg == "" {
			continue
		}
		m := v.w.messageNamed(p.msg)
		v.w.note("%s is taken, dropped %v", m.Text, dropped)
		v.inOrder(g, m, c.who)
		if ours++; ours > 1 && c.who == "" && g.showed(pieces[0]) && (g.p.HasMarkers() || ours == len(pieces)) {
			v.w.violate(promiseApart, "%s is submitted together with another one", m.Text)
		}
		if dropped {
			continue
		}
		m.undone, m.toldBack = time.Time{}, false
		if c.who == "person" && len(m.got) > 0 {
			m.got = m.got[:0] // they have recalled it
		}
		if m.got = append(m.got, time.Now()); len(m.got) > 1+m.retries {
			v.w.violate(promiseOnce, "the program got %s %d times, with %d retries", m.Text, len(m.got), m.retries)
		}
	}
}

// lookedAt reports whether what a person typed stood in the composer for so long that the courier has read it there.
func (g *program) lookedAt(p piece) bool {
	tr := &g.w.story.Traits
	return g.stalled.IsZero() && time.Since(p.at) > tr.Read+tr.Draw+time.Second
}

func (v *watch) answeredDialog(*program) {}

// advances checks a verdict that was decided on at a time. A report that comes while it is written
// is attested in the database itself. The message was claimed for a pane.
func (v *watch) advances(k store.Key, on *simPane, changes []store.Change, decided time.Time) {
	m, row, tr := v.w.messages[k.MessageSeq-1], v.w.store.find(k), &v.w.story.Traits
	drawn := v.captured.Add(-tr.Read - tr.Draw) // what it takes after that is on no screen yet: the next look tells
	again := len(m.got) > 0 && m.got[len(m.got)-1].After(drawn)
	if changes[0].Code() == parley.EndedUndone && row.job.State.Delivered() && m.undone.IsZero() && !again {
		v.w.violate(promiseUndone, "%s is called undone, and its program has it", m.Text)
	}
	if row.job.State != parley.DeliveryTyping && row.job.State != parley.DeliveryUnconfirmed {
		return
	}
	if row.job.Door {
		v.endsAtDoor(m, changes[0])
		return
	}
	alive := v.w.pane != nil && v.w.instance != "" && on == v.w.pane &&
		v.w.pane.options["@parley_agent"] == agentID && !v.foreign
	switch c := changes[0]; c.State {
	case parley.DeliverySubmitted, parley.DeliveryRead:
		m.toldAt, m.emptied = time.Now(), c.Code() == parley.ProofComposer
		if len(m.got) == 0 && m.undone.IsZero() && !m.guessed() &&
			!v.w.story.Traits.Relay { // which has it before its program
			v.w.violate(promiseProof, "%s is %s by %s", m.Text, c.State, c.Code())
		}
		if c.Code() == parley.ProofComposer && m.by == v.w.daemon && m.along != "" && !strings.Contains(c.Words(),
			m.along) {
			v.w.violate(promiseTold, "%q went with %s, which is %s: %s", m.along, m.Text, c.State, c.Words())
		}
	case parley.DeliveryUnconfirmed:
		if alive && !m.pasted {
			v.w.violate(promiseCertain, "%s was never typed, and is unconfirmed: %s", m.Text, c.Words())
		}
		if alive && v.keyLost(m) || c.Code() == parley.EndedNotEntered && alive && v.keyWaits() {
			v.w.violate(promiseWaits, "%s is unconfirmed: %s", m.Text, c.Words())
		}
		// Until a refusal could have followed, a report is not certain either.
		if at, ok := v.w.daemon.m.NamedAt(m.short()); ok && !m.refused && m.pasted && m.undone.IsZero() &&
			!at.Before(m.pastedAt) &&
			!m.named.After(decided) && v.w.settled(at, decided) {
			v.w.violate(promiseCertain, "the program has named %s, which is unconfirmed: %s", m.Text, c.Words())
		}
	case parley.DeliveryHeld, parley.DeliveryQueued:
		if row.job.State == parley.DeliveryTyping && alive && m.pasted && !m.swallowed {
			v.w.violate(promiseOnce, "%s is typed, and %s again: %s", m.Text, c.State, c.Words())
		}
	}
}

// keyLost reports whether the text stands alone in the composer of a program that waits and has long
// read and drawn everything, where no person has been since, and its key was pressed only once.
func (v *watch) keyLost(m *message) bool {
	p, g, t := v.w.pane, v.w.pane.program, v.w.daemon.m.Terminal()
	if t == nil || t.Stopping.Load() || m.retries > 0 || v.w.hosts.woke.After(m.pastedAt) {
		return false
	}
	rests := g.alive && g.raw && g.begun && !g.behind && !g.refused && !g.working && !g.dialog && !g.blocked &&
		g.begins == 0 && g.shell == "" && len(g.unread) == 0 && g.turn == m.turn && !p.mode &&
		!p.inputOff && !p.shared && p.activity.Before(m.pastedAt) && g.lostAt.After(m.pastedAt)
	within := g.p.TakenWithin + g.p.Settle + 2*time.Second
	return g.p.HasMarkers() && rests && m.keys == 1 && len(g.composer) == 1 && g.composer[0].msg == m.short() &&
		time.Since(slices.MaxFunc(
			[]time.Time{g.lostAt, g.ended, g.hung, g.stalled, v.w.freed, v.w.stuck}, time.Time.Compare)) > within &&
		time.Since(v.looked) < time.Second
}

// keyWaits reports whether the last look showed a dialog, behind which a text only waits.
func (v *watch) keyWaits() bool {
	p, t := v.w.pane, v.w.daemon.m.Terminal()
	at := p.program.dialogAt
	return !p.dead && t != nil && !t.Stopping.Load() && !at.IsZero() && !at.After(v.captured)
}

// settled reports whether what a program named at a time could no longer be refused later on.
func (w *world) settled(at, now time.Time) bool {
	within := must(w.set.Find(w.story.Profile)).RefusesWithin
	if w.daemon.m.Served.MayRefuse(at) {
		return false
	}
	return within == 0 || now.Sub(at) > within+2*w.story.Traits.Report+100*time.Millisecond
}

// guessed reports whether nobody could know that a person had cleared a text away: only what the
// terminal gave its program is known then. The operator may have asked for the key all the same, of this text or, in a
// program that shows nothing, of one before.
func (m *message) guessed() bool { return m.unseen && (m.retries > 0 || m.blurred || m.trusted) }

// atEnd checks a story that is over.
func (v *watch) atEnd() {
	if m := v.w.takenAlong(); m != nil && v.w.daemon != nil {
		v.w.violate(promiseCertain, "a later turn has taken %s along, which stays unconfirmed", m.Text)
	}
	for _, r := range v.w.store.rows {
		m := v.w.messages[r.job.Key.MessageSeq-1]
		switch r.job.State {
		case parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping:
			v.w.violate(promiseEnd, "%s is still %s: %s", m.Text, r.job.State, r.job.Words())
		case parley.DeliverySubmitted, parley.DeliveryRead:
			if m.toldBack {
				v.undone(m)
			}
			if len(m.got) == 0 && m.undone.IsZero() && !m.fetched && !m.guessed() && !v.w.story.Traits.Relay {
				v.w.violate(promiseLost, "%s counts as %s, and the program never got it", m.Text, r.job.State)
			}
		case parley.DeliveryUnconfirmed:
			if r.job.Code() == parley.EndedUndone && len(m.got) > 0 && m.undone.IsZero() && m.by == v.w.daemon {
				v.w.violate(promiseUndone, "%s was entered again, and stays undone", m.Text)
			}
			if v.w.story.Calm {
				v.w.violate(promiseCalm, "%s is unconfirmed: %s", m.Text, r.job.Words())
			}
		}
	}
}

func isForced(m interface{ IsForced(string) (string, bool) }, messageID string) bool {
	_, forced := m.IsForced(messageID)
	return forced
}
