package courier

import (
	"slices"
	"strings"
	"time"

	"parley"
)

// perform makes an event happen.
func (w *world) perform(e event) {
	switch e.Do {
	case "impossible": // tries the shrinker
		w.violate("nothing impossible happens", "it did")
	case "send":
		w.accept(e)
	case "launch":
		w.launchWith(e)
	case "retry":
		w.retry(e.N)
	case "force":
		w.force(e.N)
	case "fetch":
		w.fetch(e.N)
	case "settle":
		w.settlePlace()
	case "pause":
		w.paused = &parley.Pause{}
		w.after(e.For, func() { w.paused = nil; w.wakeDaemon() })
	case "tmux":
		w.faults.commands = append(w.faults.commands, commandFaultOf(e))
	case "database":
		w.faults.databases = append(w.faults.databases, databaseFaultOf(e))
	case "daemon dies":
		if w.daemon != nil && w.faults.dieIn == 0 { // else it dies before
			w.faults.dieIn, w.faults.dieLate = e.N, e.What == "late"
		}
	case "daemon dies after":
		what, then, _ := strings.Cut(e.What, ", ")
		w.faults.dieAfter = what
		w.faults.resume = event{Do: then, N: e.N - 1, For: e.For, What: "clears it"}
	case "in a claim":
		w.inClaim(e.For, func() { w.meanwhile(e) })
	case "daemon stops":
		if w.daemon != nil {
			w.daemon.end()
			w.wakeDaemon()
		}
	case "stopping":
		w.stopping(e.For)
	case "server dies":
		if e.What == "" {
			w.serverDies(e.For)
			return
		}
		w.inClaim(e.For+time.Second, func() { w.serverDies(e.For) })
	default:
		p := w.pane
		if !w.befallHost(e) && p != nil && !p.dead && !p.program.befallDoor(e) && !p.program.befallHook(e) {
			w.befall(p, e)
		}
	}
}

func (w *world) wakeDaemon() {
	if w.daemon != nil {
		w.daemon.wakeUp()
	}
}

func commandFaultOf(e event) commandFault {
	how, kind, _ := strings.Cut(e.What, " ")
	switch how {
	case "lost":
		return commandFault{Kind: kind, Lost: true}
	case "broken":
		return commandFault{Kind: kind, Broken: true}
	case "before":
		return commandFault{Kind: kind, Before: e.For}
	}
	return commandFault{Kind: kind, After: e.For}
}

func databaseFaultOf(e event) databaseFault {
	how, kind, _ := strings.Cut(e.What, " ")
	switch how {
	case "lost":
		return databaseFault{Kind: kind, Lost: true, Error: true}
	case "error":
		return databaseFault{Kind: kind, Error: true}
	case "slow":
		return databaseFault{Kind: kind, Slow: e.For}
	}
	return databaseFault{Kind: kind, Slow: e.For, Lost: true, Error: true}
}

func (w *world) messageOf(n int) *message {
	if len(w.messages) == 0 {
		return nil
	}
	return w.messages[(n-1)%len(w.messages)]
}

func (w *world) retry(n int) {
	m := w.messageOf(n)
	if m == nil {
		return
	}
	if job, ok := w.store.retry(m.key); ok {
		m.retries++
		w.trusts = w.trusts || w.story.Traits.Mute
		m.queued = time.Now()
		w.note("%s is sent again", m.Text)
		w.hand(job)
	}
}

// force has a message typed although the agent is blocked.
func (w *world) force(n int) {
	m := w.messageOf(n)
	if m == nil || w.daemon == nil || !w.store.find(m.key).waits() {
		return
	}
	w.forced[m.ID] = true
	w.daemon.m.Force(m.ID, "")
	w.daemon.wakeUp()
}

// fetch lets the recipient read a message in its inbox.
func (w *world) fetch(n int) {
	m := w.messageOf(n)
	if m == nil {
		return
	}
	r := w.store.find(m.key)
	if m.fetched = true; r.readAt.IsZero() {
		r.readAt = time.Now()
	}
	if r.waits() || r.job.State == parley.DeliverySubmitted || r.job.State == parley.DeliveryUnconfirmed {
		r.job.State, r.job.Cause = parley.DeliveryRead, parley.Cause{}
	}
}

// stopping begins to stop the agent, and the stop fails.
func (w *world) stopping(d time.Duration) {
	if w.daemon == nil || w.daemon.m.Terminal() == nil {
		return
	}
	t := w.daemon.m.Terminal()
	t.Stopping.Store(true)
	w.after(d, func() { t.Stopping.Store(false); w.freed = time.Now(); w.wakeDaemon() })
}

func (w *world) serverDies(d time.Duration) {
	if w.pane != nil {
		w.pane.program.end()
	}
	w.pane, w.instance = nil, ""
	w.after(d/10, func() {
		if w.instance == "" {
			w.newServer()
		}
	})
	w.after(d, func() {
		if w.pane == nil {
			w.relaunch()
		}
	})
}

// inClaim makes something happen while the database is slow to claim the next delivery.
func (w *world) inClaim(slow time.Duration, then func()) {
	w.faults.databases = append(w.faults.databases, databaseFault{Kind: "claim", Slow: slow, Then: then})
}

// meanwhile happens while a message is claimed.
func (w *world) meanwhile(e event) {
	switch e.What {
	case "fetch":
		w.fetch(int(w.claiming.MessageSeq))
	case "server dies": // and a new one runs before the claim is made
		w.serverDies(e.For / 2)
	case "shell":
		w.perform(event{Do: "shell", What: "bash", For: e.For + time.Second, N: 1})
	case "door closes": // for longer than a program may say nothing
		w.perform(event{Do: e.What, For: e.For + time.Minute})
	default:
		w.perform(event{Do: e.What, What: "clears it", For: e.For + 2*time.Second, N: e.N})
	}
}

// programDies ends the program. tmux calls the pane dead only when nothing holds its terminal
// any more, and the program's children may do so for a while.
func (w *world) programDies(p *simPane, d, lag time.Duration) {
	p.program.end()
	w.after(lag, func() { p.dead = true })
	w.after(max(d, lag), func() {
		if w.pane == p {
			w.relaunch()
		}
	})
}

func (g *program) end() {
	g.alive, g.unread, g.working, g.queue = false, nil, false, nil
	keeps := g.w.story.Traits.Outlives
	g.letters = slices.DeleteFunc(g.letters, func(l letterIn) bool { return l.argument || !keeps })
}

// befall makes an event happen in the pane.
func (w *world) befall(p *simPane, e event) {
	g := p.program
	switch e.Do {
	case "dialog":
		if !g.p.HasMarkers() {
			return // nobody can see the questions of such a program
		}
		for _, p := range g.form { // it covers the form for good
			if m := w.messageIn(p.text); m != nil {
				m.swallows, m.swallowed = m.swallows+1, true
			}
		}
		g.dialog, g.asks, g.form = true, "", nil
		g.drawSoon()
		w.after(10*time.Millisecond, func() {
			if g.dialog && !g.signedOut { // then it asks for no turn
				g.report("waiting", nil)
			}
		})
		w.after(e.For, func() { w.answer(p) })
	case "swallow": // one opens at the next paste
		g.atPaste = func() { w.swallow(p, e) }
	case "answer late":
		w.answerLate(p, e.For)
	case "question":
		g.ask(e.What, e.For)
	case "behind":
		g.giveWay(e.For)
	case "draft":
		w.draft(p, e)
	case "enter", "clear":
		tr := w.story.Traits
		w.attach(p, max(2*time.Second, tr.Read+tr.Draw+100*time.Millisecond)) // they look what became of their key
		key := map[string]string{"enter": "Enter", "clear": "clear"}[e.Do]
		p.personKey(func() { g.input(chunk{key: key, who: "person"}) })
	case "unshown": // a person's keys in a program that draws late
		w.befall(p, event{Do: "stall", For: e.For})
		w.befall(p, event{Do: "draft", What: e.What, For: e.For})
	case "shown in a claim": // those keys show while the database is slow to claim a message
		w.befall(p, event{Do: "unshown", What: e.What, For: e.For})
		w.inClaim(time.Duration(e.N)*200*time.Millisecond, func() { g.stalled = time.Now(); g.draw() })
	case "unread": // a person's keys in a program that hangs
		w.befall(p, event{Do: "hang", For: e.For})
		w.befall(p, event{Do: "draft", What: e.What, For: e.For})
	case "left keys": // a person types as the daemon dies after the key, while tmux keeps theirs back
		w.faults.dieAfter = "key"
		g.atKey = func() {
			w.after(10*time.Millisecond, func() { w.befall(p, event{Do: "draft", What: e.What, For: e.For}) })
		}
		w.attach(p, e.For)
	case "stops at the key":
		g.atKey = func() { w.after(100*time.Millisecond, func() { w.stopping(e.For) }) }
	case "unread key": // it hangs between the text and the key
		g.atKey = func() { w.befall(p, event{Do: "hang", For: e.For}) }
	case "unseen": // the key is lost, and while tmux is slow to answer, a person clears the text and leaves
		g.lose += g.keysOf(1)
		g.atKey = func() {
			w.faults.commands = append(w.faults.commands, commandFault{Kind: "screen", After: e.For})
			w.after(500*time.Millisecond, func() { w.befall(p, event{Do: "clear"}) })
		}
	case "mingle": // a person types right after the key, which the program loses, or is slow to take
		do := "draft"
		if e.N < 3 {
			g.lose += g.keysOf(1)
		} else {
			do = "unshown"
		}
		g.atKey = func() {
			w.after(200*time.Millisecond, func() { w.befall(p, event{Do: do, What: e.What, For: e.For}) })
		}
	case "dies unanswered": // after the key, which tmux is slow to answer
		w.faults.commands = append(w.faults.commands, commandFault{Kind: "key", After: e.For})
		g.atKey = func() { w.after(e.For/2, func() { w.programDies(p, e.For, time.Duration(e.N/2)*time.Second) }) }
	case "prompt":
		w.attach(p, 4*time.Second)
		p.personKey(func() {
			g.input(chunk{text: "do it", who: "person"})
			g.input(chunk{key: "Enter", who: "person"})
		})
	case "scroll":
		if p.mode = true; e.N < 3 { // else a script of theirs began it
			w.attach(p, e.For+time.Second)
			p.activity = time.Now()
		}
		w.after(e.For, func() { p.mode, w.freed = false, time.Now(); w.wakeDaemon() })
	case "attach":
		w.attach(p, e.For)
		p.activity = time.Now()
	case "lose keys":
		g.lose += g.keysOf(e.N)
	case "break keys":
		g.breaks += g.keysOf(e.N)
	case "late key":
		if g.p.HasMarkers() {
			g.late = e.For
		}
	case "hang":
		g.hung, g.deafAt = time.Now().Add(e.For), time.Now()
		w.after(e.For, g.read)
	case "undo":
		g.undoes = append(g.undoes, e)
	case "recall":
		g.recall(e.For)
	case "stall":
		if !g.p.HasMarkers() && g.canonical() {
			return // the terminal itself echoes
		}
		g.stalled = time.Now().Add(e.For)
		w.after(e.For, g.draw)
	case "program dies":
		die := func() { w.programDies(p, e.For, time.Duration(e.N/2)*time.Second) }
		switch e.What {
		case "in a claim":
			w.inClaim(90*time.Millisecond, die)
		case "before it reads":
			g.dying = die
		default:
			die()
		}
	case "shell":
		if !w.story.Traits.Joined {
			return
		}
		begin := func() {
			g.shell, g.shellAt = e.What, time.Now()
			w.after(time.Millisecond, func() {
				if g.shell != "" {
					g.loseUnread()
				}
			})
			w.after(e.For, func() { g.shell = ""; g.draw(); w.wakeDaemon() })
		}
		switch e.N {
		case 1:
			begin()
		case 2:
			g.atKey = func() { w.after(5*time.Millisecond, begin) }
		default:
			w.inClaim(90*time.Millisecond, begin)
		}
	case "input off":
		p.inputOff = true
		w.after(e.For, func() { p.inputOff, w.freed = false, time.Now(); w.wakeDaemon() })
	case "synchronized":
		p.shared = true
		w.after(e.For, func() { p.shared, w.freed = false, time.Now() })
	case "stranger": // claims the pane
		p.options["@parley_agent"] = "99999999-0000"
		w.after(e.For, func() { p.options["@parley_agent"], w.freed = agentID, time.Now(); w.wakeDaemon() })
	case "resize":
		g.width = []int{120, 48, 80}[e.N%3]
		if g.p.HasMarkers() {
			g.drawSoon()
		} else {
			g.draw() // tmux itself wraps the lines again
		}
	case "blocked":
		g.blocked = !g.working
		g.drawSoon()
		w.after(e.For, func() { g.blocked, w.freed = false, time.Now(); g.drawSoon() })
	case "work": // on something else
		if !g.working && g.begins == 0 && !g.signedOut {
			g.beginSoon(nil, 0)
		}
	}
}

// keysOf is how many keys a program loses. Only one that has a composer does.
func (g *program) keysOf(n int) int {
	if !g.p.HasMarkers() {
		return 0
	}
	return n
}

// attach shows the pane to a person for some time.
func (w *world) attach(p *simPane, d time.Duration) {
	if !p.attached {
		p.attached, p.viewed, p.came = true, true, time.Now()
	}
	p.leaves++
	leaves := p.leaves
	w.after(d, func() {
		shows, reads := time.Until(p.program.stalled), time.Until(p.program.hung)
		switch {
		case p.leaves != leaves:
		case w.stuck.After(time.Now()): // so is their leaving
			w.attach(p, time.Until(w.stuck)+100*time.Millisecond)
		case len(p.held) > 0: // the key with which they leave waits behind them
			w.attach(p, 100*time.Millisecond)
		case shows > 0: // they look what became of their keys
			w.attach(p, shows+2*w.story.Traits.Draw)
		case reads > 0:
			w.attach(p, reads+10*time.Millisecond)
		default:
			p.attached = false
		}
	})
}

// answer is a person's answer to a dialog.
func (w *world) answer(p *simPane) {
	if !p.program.dialog || p.dead {
		return
	}
	w.attach(p, 2*time.Second)
	p.personKey(func() { p.program.input(chunk{key: "Enter", who: "person"}) })
}

// draft lets a person type words, and do something with them later.
func (w *world) draft(p *simPane, e event) {
	g := p.program
	w.attach(p, e.For+3*time.Second)
	for i, word := range []string{"my ", "own ", "words"} {
		w.after(time.Duration(i)*300*time.Millisecond, func() {
			p.personKey(func() { g.input(chunk{text: word, who: "person", paste: e.What == "pastes it"}) })
		})
	}
	end := func(key string) {
		w.attach(p, 3*time.Second)
		p.personKey(func() { g.input(chunk{key: key, who: "person"}) })
	}
	switch e.What {
	case "clears it", "pastes it":
		w.after(e.For+time.Second, func() { end("clear") })
	case "submits it":
		w.after(e.For+time.Second, func() { end("Enter") })
	default:
		w.attach(p, 2*time.Second)
		w.after(e.For+8*time.Second, func() { end("clear") })
	}
}
