package courier

import (
	"slices"
	"strings"
	"time"

	"parley/program/profile"
)

// traits describe a program. They hold for a whole story.
type traits struct {
	Width      int
	Joined     bool          // it is in a person's own tmux
	Read       time.Duration // from the terminal to the program
	Draw       time.Duration // from a change to the screen
	Start      time.Duration // until it reads byte by byte, and draws
	Begin      time.Duration // from a prompt to the work on it
	Gap        time.Duration // between a turn and the next one of its queue
	Work       time.Duration // a turn
	Fold       int           // it folds pastes from this many characters on; 0: none
	Report     time.Duration // from an event to its report
	Reports    bool
	Lines      bool // it reads lines
	Mute       bool // it does not draw its input
	DropsBegin bool // what is submitted while something else begins is dropped
	ShortID    bool // the footers are short
	Suggests   bool // it suggests a next prompt after each turn
	Home       bool // a person's cursor stands before their words

	oddities
	doorTraits
	hookTraits
}

// piece is a part of what stands in a composer.
type piece struct {
	text  string
	msg   string // the short id of the message that it is; "" for a person's own
	at    time.Time
	whole bool // as it was pasted
}

// chunk is input in a terminal that its program has not read.
type chunk struct {
	text  string
	paste bool
	raw   bool // not framed, or with carriage returns
	key   string
	who   string // "person", or "" for parley
	at    time.Time
}

// program is a simulated agent program in a pane.
type program struct {
	w     *world
	pane  *simPane
	p     *profile.Profile
	face  *face
	width int

	born     time.Time
	alive    bool
	raw      bool // it has its terminal
	hung     time.Time
	stalled  time.Time // nothing is drawn until then
	unread   []chunk
	composer []piece
	started  int // how many programs came before it; the seed of chance

	opening
	inbox
	hooking
	work
	drawing
	nextKey
	undoing
}

// work is what the program does.
type work struct {
	working bool
	ended   time.Time // the last turn
	begins  int       // prompts between the composer and their turn
	turn    int       // the number of the last turn
	queue   [][]piece
	dialog  bool
	blocked bool
	answers bool   // it has answered the last prompt
	shell   string // has the terminal; "": the program
	shellAt time.Time
}

// drawing is what it shows.
type drawing struct {
	shown    picture
	viewed   scenery // drawn in it
	above    []string
	dialogAt time.Time // since when it is drawn
	busyAt   time.Time
	draftAt  time.Time // since when a person's words are drawn in the composer
}

// nextKey is what becomes of the next keys.
type nextKey struct {
	lostAt       time.Time     // the last key
	lose, breaks int           // how many keys are still lost, or taken for line breaks
	late         time.Duration // how much later the next key is taken
	dying        func()        // ends it before it reads the next key
	atKey        func()        // happens at the next key
	atPaste      func()        // happens at the next paste
}

// input is what arrives in the terminal.
func (g *program) input(c chunk) {
	if !g.alive {
		return
	}
	c.at = time.Now()
	g.unread = append(g.unread, c)
	if g.atPaste != nil && c.paste && c.who == "" {
		g.atPaste()
		g.atPaste = nil
	}
	if g.atKey != nil && c.key != "" && c.who == "" {
		g.atKey()
		g.atKey = nil
	}
	if g.dying != nil && c.key != "" && c.who == "" {
		g.draw() // the terminal echoes
		g.dying()
		return
	}
	if g.behind {
		g.sink()
		return
	}
	if g.shell != "" {
		g.w.after(time.Millisecond, g.loseUnread)
		return
	}
	if g.p.HasMarkers() || g.raw || !g.canonical() {
		g.readSoon()
		return
	}
	if !g.w.story.Traits.Mute {
		g.drawSoon() // the terminal echoes
	}
	if c.key != "" {
		g.readSoon()
	}
}

// loseUnread takes what waits in the terminal away where nobody sees it.
func (g *program) loseUnread() {
	for _, c := range g.unread {
		if m := g.w.messageIn(c.text); m != nil {
			m.unseen = true
		}
	}
	g.unread = nil
}

func (g *program) canonical() bool { return !g.raw }

func (g *program) readSoon() {
	at := time.Now().Add(g.w.story.Traits.Read)
	if g.hung.After(at) {
		at = g.hung
	}
	g.w.on(at, g.read)
}

// read takes the unread input, unless the program hangs.
func (g *program) read() {
	if !g.alive || !g.reads() || g.shell != "" {
		return
	}
	n := g.readable()
	chunks := g.unread[:n]
	g.unread = g.unread[n:]
	for _, c := range chunks {
		g.take(c)
	}
	g.drawSoon()
}

// readable returns how much of the unread input its terminal gives the program: one that reads lines
// gets only whole ones.
func (g *program) readable() int {
	n := len(g.unread)
	for !g.p.HasMarkers() && g.canonical() && n > 0 && g.unread[n-1].key == "" {
		n--
	}
	return n
}

// take handles one piece of input.
func (g *program) take(c chunk) {
	switch {
	case !g.begun && g.w.story.Traits.Prompts:
		g.launcherTakes(c)
	case !g.begun: // lost: it has no composer yet
		g.drop(c)
	case g.dialog && c.key != "":
		g.answer(c)
	case g.dialog && g.asks == "form":
		g.form = append(g.form, piece{text: c.text, at: c.at, whole: true})
	case g.dialog: // a paste is thrown away
		g.drop(c)
		if m := g.w.messageIn(c.text); m != nil && c.who == "" {
			m.swallows, m.swallowed = m.swallows+1, true
		}
	case c.key == "clear":
		g.clear()
	case c.key == "undo":
		g.takeBack()
	case c.key == "recall":
		g.composer = append(g.composer, g.entered...)
	case c.key != "":
		g.submitKey(c)
	case c.paste:
		g.pastePiece(c)
	default:
		g.composer = append(g.composer, piece{text: c.text, at: c.at})
	}
}

// clear empties the composer, as a person does.
func (g *program) clear() {
	for _, p := range g.composer {
		if m := g.w.messageNamed(p.msg); m != nil {
			m.unseen = m.unseen || !g.p.HasMarkers()
			m.blurred = m.blurred || m.unseen && (g.w.hosts.asleep || g.pane.drawn.Unix() == time.Now().Unix())
		}
	}
	g.composer = nil
}

func (g *program) pastePiece(c chunk) {
	msg := ""
	if m := g.w.messageIn(c.text); m != nil && c.who == "" {
		msg = m.short()
	}
	if c.raw && strings.Contains(c.text, "\n") {
		g.w.violate("what is typed reaches the program as it was sent", "a paste was not framed")
	}
	g.composer = append(g.composer, piece{text: c.text, msg: msg, at: c.at, whole: true})
}

// answer takes a key that answers a dialog.
func (g *program) answer(c chunk) {
	for _, p := range g.composer {
		if c.who == "" { // its key is lost to that
			g.drop(chunk{text: p.text})
		}
	}
	g.dialog, g.asks, g.form, g.w.freed = false, "", nil, time.Now()
	g.lying = g.w.story.Traits.Lies && len(g.letters) > 0
	if c.who == "" {
		g.w.watch.answeredDialog(g)
	}
}

// submitKey takes Enter, or the queue key.
func (g *program) submitKey(c chunk) {
	switch {
	case c.key == "Tab" && !(g.working && g.p.QueueKey == "Tab"):
		return
	case g.lose > 0 && c.who == "":
		g.lose--
		g.lostAt = time.Now()
		return
	case g.breaks > 0 && c.who == "" && len(g.composer) > 0:
		g.breaks--
		g.composer[len(g.composer)-1].text += "\n"
		return
	case g.late > 0 && c.who == "":
		late := g.late
		g.late = 0
		g.w.after(late, func() { g.submit(c); g.drawSoon() })
		return
	}
	g.submit(c)
}

func (g *program) submit(c chunk) {
	if !g.alive || g.dialog {
		return
	}
	if len(g.composer) == 0 {
		if !g.p.HasMarkers() {
			g.above = []string{""} // a prompt below the last
		}
		return
	}
	pieces := g.composer
	g.composer = nil
	tr := &g.w.story.Traits
	dropped := g.begins > 0 && tr.DropsBegin &&
		time.Since(g.ended) > 150*time.Millisecond+tr.Draw+tr.Read // it could be seen
	g.w.watch.submitted(g, pieces, c, dropped || g.signedOut)
	if dropped {
		return
	}

	before := g.above
	if !g.signedOut || g.p.Name != "copilot" { // which shows nothing of what it refuses
		g.above, g.answers = append(g.above, joined(pieces)), false
	}
	if tr.Silent {
		g.above = nil
	}
	if n := len(g.above); n > 2 {
		g.above = g.above[n-2:]
	}
	if g.signedOut {
		g.refuse(pieces)
		return
	}
	if g.working || g.begins > 0 {
		if g.p.Name == "claude" {
			g.reportPrompt(pieces)
		}
		g.queue = append(g.queue, pieces)
		return
	}
	g.enters(pieces, before)
	g.beginSoon(pieces, g.w.story.Traits.Begin)
	if g.lying {
		g.lying = false
		g.readLetters()
	}
}

func joined(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// beginSoon begins the turn on a prompt.
func (g *program) beginSoon(pieces []piece, after time.Duration) {
	g.begins++
	g.w.after(after, func() {
		g.begins--
		if !g.alive {
			return
		}
		g.working, g.blocked, g.again = true, false, false
		g.turn++
		turn := g.turn
		tools := g.w.story.Traits.Tools
		for i := range tools {
			g.w.after(g.w.story.Traits.Work*time.Duration(i+1)/time.Duration(tools+1), func() { g.tool(turn) })
		}
		if pieces != nil {
			g.reportPrompt(pieces)
		}
		g.drawSoon()
		g.undoing.letUndo(g)
		g.w.after(g.w.story.Traits.Work, func() { g.finish(turn) })
	})
}

// finish ends a turn, and begins the next one of the queue.
func (g *program) finish(turn int) {
	if !g.alive || g.turn != turn || !g.working {
		return
	}
	if g.dialog { // it goes on when that is answered
		g.w.after(500*time.Millisecond, func() { g.finish(turn) })
		return
	}
	g.atEnd(turn, func() { g.rest(turn) })
}

// rest ends a turn for which no hook has anything.
func (g *program) rest(turn int) {
	if !g.alive || g.turn != turn || !g.working {
		return
	}
	g.prompt = nil
	g.working, g.answers, g.ended = false, len(g.above) > 0 && len(g.queue) == 0, time.Now()
	g.drawSoon()
	if len(g.queue) == 0 {
		g.report("idle", nil)
		return
	}

	var all []piece
	for _, pieces := range g.queue {
		all = append(all, pieces...)
	}
	g.queue = nil
	if g.p.Name == "claude" {
		g.beginSoon(nil, g.w.story.Traits.Gap)
		return
	}
	g.beginSoon(all, g.w.story.Traits.Gap)
}

func (g *program) reportPrompt(pieces []piece) {
	var ids []string
	for _, p := range pieces {
		if p.msg != "" {
			ids = append(ids, p.msg)
		}
	}
	g.report("prompted", ids)
}

// report tells the daemon about an event, if the program does that.
func (g *program) report(signal string, ids []string) {
	if !g.w.story.Traits.Reports || !g.p.Reports.Prompts() {
		return
	}
	g.w.report(signal, ids)
}

// drawSoon draws the latest change after a moment.
func (g *program) drawSoon() {
	at := time.Now().Add(g.w.story.Traits.Draw)
	if g.stalled.After(at) {
		at = g.stalled
	}
	g.w.on(at, g.draw)
}

// draw shows the present state of the program.
func (g *program) draw() {
	now := time.Now()
	if !g.alive || g.stalled.After(now) || g.shell != "" {
		return
	}
	v := scenery{
		above: g.above, working: g.working, blocked: g.blocked, refused: g.refused, dialog: g.dialog, asks: g.asks,
		width: g.width,
	}
	v.answered = g.answers
	v.blank, v.launches = !g.begun, !g.begun && g.w.story.Traits.Launch > 0
	v.prompts = g.w.story.Traits.Prompts
	v.behind, v.shellLine = g.behind, g.shellLine
	v.composer, v.form = g.composed(), joined(g.form)
	v.suggests = g.w.story.Traits.Suggests && !g.working && !g.ended.IsZero()
	v.home = g.w.story.Traits.Home && len(g.composer) > 0 && g.composer[0].msg == ""
	switch {
	case !g.p.HasMarkers() && g.canonical():
		g.shown, g.viewed = g.echo(), scenery{}
	case !v.same(&g.viewed):
		g.shown, g.viewed = g.face.draw(&v), v
	}
	g.pane.drawn = now

	since(&g.dialogAt, g.shown.dialog, now)
	since(&g.busyAt, g.shown.busy, now)
	draft := false
	for _, p := range g.composer {
		draft = draft || p.msg == ""
	}
	since(&g.draftAt, draft && !g.shown.dialog && !g.behind, now)
	since(&g.behindAt, g.behind, now)
	since(&g.openAt, g.begun && !g.dialog && !g.behind, now)
}

// since keeps the time at which something became true.
func since(at *time.Time, so bool, now time.Time) {
	switch {
	case !so:
		*at = time.Time{}
	case at.IsZero():
		*at = now
	}
}

// composed returns what the composer shows.
func (g *program) composed() string {
	var b strings.Builder
	for _, p := range g.composer {
		fold := g.w.story.Traits.Fold
		if p.whole && fold > 0 && len(p.text) >= fold && g.face.placeholder != nil {
			b.WriteString(g.face.placeholder(p.text))
			continue
		}
		b.WriteString(p.text)
	}
	if !g.p.HasMarkers() && g.w.story.Traits.Mute {
		return ""
	}
	return b.String()
}

// echo is the screen of a program that reads lines, before it has read one. The terminal shows a
// line break as such.
func (g *program) echo() picture {
	v := scenery{above: slices.Clone(g.above), width: g.width, dialog: g.dialog, asks: g.asks}
	v.launches = !g.begun && g.w.story.Traits.Launch > 0
	for _, c := range g.unread {
		v.composer += c.text
		if c.key == "Enter" {
			v.above, v.composer = append(v.above, v.composer), ""
		}
	}
	if g.w.story.Traits.Mute {
		v.composer = ""
	}
	return g.face.draw(&v)
}

// clearLine removes what stands in the line of a program that reads lines.
func (g *program) clearLine() {
	if !g.p.HasMarkers() && g.canonical() {
		g.unread = nil
	}
}

// showed reports whether a piece was on the screen when the last message was claimed.
func (g *program) showed(p piece) bool {
	tr := &g.w.story.Traits
	return !tr.Mute && !p.at.Add(tr.Read+tr.Draw).After(g.w.watch.ready) && g.stalled.IsZero()
}

// waiting returns how many bytes are unread according to the system.
func (g *program) waiting() int {
	if g.w.story.Traits.Relay {
		return 0 // it is passed on at once
	}
	n, lines := 0, 0
	for _, c := range g.unread {
		n += len(c.text)
		if c.key != "" {
			n++
			lines = n
		}
	}
	if g.canonical() { // a line counts when it is complete
		return lines
	}
	return n
}
