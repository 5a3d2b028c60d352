package courier

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// oddities are what few programs do: they begin to read late, ask what no marker knows, stand behind another program
// that passes on what is typed, draw nothing, or refuse what they have taken.
type oddities struct {
	Launch    time.Duration // a launcher has its terminal first
	Drops     bool          // the launcher reads byte by byte what it drops
	Prompts   bool          // the launcher reads lines behind a sign
	Asks      string        // the kind of a question before its composer stands
	Answer    time.Duration // until a person answers that
	Sign      string        // before what is typed, in place of the usual
	Relay     bool          // it runs on another machine
	Silent    bool          // it draws nothing of what it was given either
	SignedOut time.Duration // it refuses everything until then
}

// opening is how a program begins, and what comes in place of its composer.
type opening struct {
	begun     bool      // it reads, and its composer stands
	deafAt    time.Time // since when it did not read last
	openAt    time.Time // since when its composer is drawn
	asks      string    // the kind of question that is open; "": one that its markers know
	form      []piece   // that stands in a form
	behind    bool      // a shell has the terminal on the other machine, or in a terminal inside the pane
	behindAt  time.Time // since when that is drawn
	shellLine string    // what was typed there
	signedOut bool
	trusts    time.Duration // it asks for that long whether it may work here
	refused   bool          // it says that it must be signed in
}

// word is what the operator has said of the place where the program takes messages.
type word struct {
	places *team.Places
	at     time.Time // zero: nothing
}

// questions are what stands in place of a composer, the cursor behind it.
var questions = map[string][]string{
	"line":  {"A new version is there.", "Update now? [Y/n] "},
	"words": {"A directory is needed.", "Where is the work: "},
	"menu":  {"Pick a look", "❯ Dark", "  Light"},
	"news":  {"New in this version", " * It is faster.", ""},
	"form":  {"Edit the plan:", "first step"},
}

// ask draws an open question. The cursor of a menu is hidden.
func (p *picture) ask(v *scenery) {
	rows := questions[v.asks]
	if v.asks == "form" { // with what looks like an empty composer below it
		p.lines = append(append(p.lines, rows...), wrapped(v.form, "", "", v.width)...)
		return
	}
	last := len(rows) - 1
	p.lines = append(p.lines, rows[:last]...)
	p.prompt(rows[last]+v.composer, v.width)
	p.dialog, p.busy, p.hidden = true, false, v.asks == "menu" || v.asks == "news"
}

// prompt draws a row with the cursor behind it.
func (p *picture) prompt(text string, width int) {
	p.lines = append(p.lines, wrapped(text, "", "", width)...)
	p.y = len(p.lines) - 1
	p.x = len([]rune(p.lines[p.y]))
	if p.x < len([]rune(text)) && p.y == 0 {
		p.x = len([]rune(text))
	}
}

// launcher draws what stands there while a launcher runs.
func launcher(v *scenery) picture {
	p := picture{lines: []string{"added 12 packages", "Fetching the agent…"}}
	if v.prompts {
		p.prompt("❯ "+v.composer, v.width)
		return p
	}
	p.prompt(v.composer, v.width)
	return p
}

// open begins the program, once its launcher has ended.
func (g *program) open() {
	tr := &g.w.story.Traits
	g.deafAt, g.raw, g.signedOut = g.born, tr.Launch > 0 && (tr.Drops || tr.Prompts), tr.SignedOut > 0
	g.drawSoon()
	g.w.after(tr.Launch+tr.Start, g.begin)
}

func (g *program) begin() {
	if !g.alive || g.begun {
		return
	}
	tr := &g.w.story.Traits
	g.begun, g.raw, g.composer = true, !tr.Lines, nil
	for _, c := range g.unread { // what was typed before
		g.drop(c)
	}
	g.unread = nil
	if tr.Asks != "" {
		g.ask(tr.Asks, tr.Answer)
	}
	if g.trusts > 0 {
		g.w.befall(g.pane, event{Do: "dialog", For: g.trusts})
	}
	g.w.after(tr.SignedOut, g.signIn)
	g.drawSoon()
}

// launcherTakes gives a launcher that reads lines what was typed.
func (g *program) launcherTakes(c chunk) {
	switch c.key {
	case "":
		g.pastePiece(c)
	case "clear":
		g.clear()
	default:
		for _, p := range g.composer {
			if m := g.w.messageNamed(p.msg); m != nil {
				m.unseen = true
			}
		}
		g.composer = nil
	}
}

// reads reports whether the program, or its launcher, reads the terminal now.
func (g *program) reads() bool {
	return !g.hung.After(time.Now()) && (g.begun || g.raw)
}

// runs returns what reads the terminal.
func (g *program) runs() tmux.Program {
	switch tr := &g.w.story.Traits; {
	case tr.Relay:
		return relayed
	case !g.begun && tr.Prompts:
		return tmux.Program{File: "/bin/node", Args: []string{"node", "launch.mjs"}}
	}
	return ownProgram
}

// ownProgram takes messages, by the operator's word; relayed does not before they say so.
var (
	ownProgram = tmux.Program{File: "/bin/agent", Args: []string{"agent"}}
	relayed    = tmux.Program{File: "/bin/ssh", Args: []string{"ssh", "host"}}
)

// drop loses input. Nobody can see that where the composer is not known.
func (g *program) drop(c chunk) {
	if m := g.w.messageIn(c.text); m != nil && !g.p.HasMarkers() {
		m.unseen = true
		asks := g.dialog && (g.dialogAt.IsZero() || time.Since(g.dialogAt) < attempt.StrangeWithin) // as that was read
		m.blurred = m.blurred || asks
	}
}

// ask asks what a person answers after some time. A program that hangs gets no answer before it goes on.
func (g *program) ask(kind string, d time.Duration) {
	if g.dialog || g.behind || !g.begun {
		return
	}
	if lines := kind == "line" || kind == "words"; g.canonical() && !lines {
		kind = "line"
	}
	g.dialog, g.asks = true, kind
	g.drawSoon()
	g.w.on(attempt.Later(time.Now().Add(d), g.hung), func() { g.w.answer(g.pane) })
}

// giveWay lets a shell have the terminal, where only the screen can tell.
func (g *program) giveWay(d time.Duration) {
	if !g.p.HasMarkers() && !g.w.story.Traits.Relay || !g.begun || g.working || g.begins > 0 || g.dialog {
		return
	}
	g.behind, g.shellLine = true, ""
	g.sink()
	g.drawSoon()
	g.w.after(d, func() {
		g.behind, g.w.freed = false, time.Now()
		g.drawSoon()
		g.w.wakeDaemon()
	})
}

// sink gives the shell behind the terminal what waits there. A text without its key stays there, and the program never
// has it.
func (g *program) sink() {
	for _, c := range g.unread {
		if m := g.w.messageIn(c.text); m != nil && c.key == "" {
			m.swallows, m.swallowed = m.swallows+1, true
		}
		if g.shellLine += c.text; c.key != "" {
			g.shellLine = ""
		}
	}
	g.loseUnread()
	g.drawSoon()
}

// refuse takes a prompt, and says that the program is signed out.
func (g *program) refuse(pieces []piece) {
	for _, p := range pieces {
		if m := g.w.messageNamed(p.msg); m != nil {
			m.refused = true
		}
	}
	g.reportPrompt(pieces)
	g.working, g.refused = true, false
	g.w.after(300*time.Millisecond, func() {
		g.working, g.refused = false, true
		g.drawSoon()
		if !g.signedOut { // meanwhile
			g.signIn()
		}
	})
}

// signIn lets the program take prompts. A refusal stands there until somebody has seen it.
func (g *program) signIn() {
	g.signedOut = false
	g.w.after(10*time.Second, func() {
		g.refused, g.w.freed = false, time.Now()
		g.drawSoon()
	})
}

// needsWord reports whether only the operator can say that messages belong where the program takes them.
func (tr *traits) needsWord() bool { return tr.Relay || strings.HasSuffix(tr.Sign, ": ") }

// settlePlace is the operator's word that messages belong where the program takes them.
func (w *world) settlePlace() {
	p := w.pane
	if w.daemon == nil || w.daemon.m.Terminal() == nil || p == nil || p.dead || !w.story.Traits.needsWord() {
		return
	}
	g := p.program
	if g.dialog || g.behind || !g.begun {
		w.after(time.Second, w.settlePlace)
		return
	}
	screen := p.screen()
	at := profile.PlaceOf(sight.ScreenOf(screen), g.p)
	if at.Words != strings.TrimSpace(g.face.prompt) {
		w.after(time.Second, w.settlePlace)
		return
	}
	if w.settleHere(); w.word.at.IsZero() {
		w.word.at = time.Now()
	}
}

// settleHere is the operator's word that messages belong where the cursor stands.
func (w *world) settleHere() {
	screen := w.pane.screen()
	s := sight.SpotOn(worldHost{w}, w.daemon.m.Terminal(), &screen)
	id := team.ProgramID(s.Reader.Program)
	_ = w.word.places.Add(context.Background(), id, profile.Place{})
	_ = w.word.places.Add(context.Background(), id, s.At)
	w.note("messages belong behind %q of %s", s.At.Words, s.Reader.Program)
	w.wakeDaemon()
}

// belongs checks that a message goes where messages belong, as far as the last look could tell.
func (v *watch) belongs(p *simPane, what string) {
	g, tr := p.program, &v.w.story.Traits
	known := func(at time.Time) bool { return !at.IsZero() && at.Before(v.ready) }
	switch {
	case g.canonical() && !g.reads() && known(g.deafAt):
		v.w.violate(promiseReader, "%s is typed where nobody reads", what)
	case tr.Prompts && !g.begun:
		v.w.violate(promiseAgent, "%s goes to a launcher", what)
	case known(g.dialogAt):
		v.w.violate(promiseAgent, "%s goes where the program asks something", what)
	case known(g.behindAt):
		v.w.violate(promiseAgent, "%s goes to a shell behind the terminal", what)
	case tr.needsWord() && (tr.Relay || known(g.openAt)) && v.w.word.at.IsZero():
		v.w.violate(promiseAgent, "%s goes where nobody has said that messages belong", what)
	}
}

// addOddities gives some programs an oddity. It draws its own chances, so that other stories stay as they are.
func (t *teller) addOddities(end time.Duration) {
	o := *t
	o.Rand = rand.New(rand.NewPCG(t.s.Seed, 2))
	s, tr, markers := t.s, &t.s.Traits, t.p.HasMarkers()
	kinds := []string{"line", "words", "menu", "news"}
	if !markers {
		kinds = kinds[:3]
	}
	quick := tr.Draw < time.Second && tr.Read < 100*time.Millisecond

	switch n := o.IntN(20); {
	case n < 2:
		tr.Launch = o.between(time.Second, 12*time.Second)
		tr.Drops = o.IntN(2) == 0 && (markers || !s.Calm)
	case n == 2:
		tr.Asks, tr.Answer = kinds[o.IntN(len(kinds))], o.between(3*time.Second, 20*time.Second)
	case n < 6 && !s.Calm && quick:
		for range 1 + o.IntN(3) {
			s.Events = append(s.Events, event{
				At: o.between(0, end+5*time.Second), Do: "question", What: kinds[o.IntN(len(kinds))],
				For: o.between(500*time.Millisecond, 15*time.Second),
			})
			if asked := s.Events[len(s.Events)-1]; o.IntN(2) == 0 {
				at := asked.At + o.between(0, asked.For)
				s.Events = append(s.Events, event{At: at, Do: "answer late", For: o.between(0, 8*time.Second)})
			}
		}
	case n < 8 && !s.Calm && !markers && quick:
		if tr.Sign = "you: "; o.IntN(2) == 0 {
			tr.Relay, tr.Lines, tr.Joined, tr.Sign = true, false, false, ""
		}
		s.Events = append(s.Events, event{At: o.between(0, end), Do: "settle"})
		fallthrough
	case n < 10 && !s.Calm && quick:
		for range 1 + o.IntN(2) {
			s.Events = append(s.Events, event{
				At: o.between(0, end+5*time.Second), Do: "behind", For: o.between(500*time.Millisecond, 10*time.Second),
			})
		}
	case n == 10 && tr.Mute:
		tr.Silent = true
	case n == 15 && !s.Calm && markers && quick:
		for range 1 + o.IntN(2) {
			s.Events = append(s.Events, event{
				At: o.between(0, end+5*time.Second), Do: "question", What: "form",
				For: o.between(time.Second, 30*time.Second),
			})
		}
	case n < 13 && !s.Calm && !s.Shared && quick && len(faces[s.Profile].refused) > 0:
		tr.SignedOut = o.between(5*time.Second, 25*time.Second)
		s.Events = slices.DeleteFunc(s.Events, func(e event) bool { return slices.Contains(slowToShow, e.Do) })
		if o.IntN(3) == 0 {
			s.Events = append(s.Events,
				event{At: o.between(0, end/2), Do: "stops at the key", For: o.between(time.Second, 6*time.Second)})
		}
	case n < 15 && !s.Calm && !s.Shared && !markers && quick && !tr.Joined:
		tr.Launch, tr.Prompts = o.between(time.Second, 14*time.Second), true
		if o.IntN(2) == 0 { // it reads late
			s.Events = append(s.Events,
				event{At: o.between(0, end), Do: "unread key", For: o.between(3*time.Second, 15*time.Second)})
		}
		if o.IntN(2) == 0 {
			s.Events = append(s.Events, event{At: o.between(0, 10*time.Second), Do: "daemon stops"})
		}
	}
}

// slowToShow are troubles in which a refusal would show later than anybody waits for it.
var slowToShow = []string{
	"stall", "unshown", "shown in a claim", "mingle",
}
