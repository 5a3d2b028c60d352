package attempt

import (
	"strings"
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// A program that was just given a message looks idle for a while, and what is typed then
// would go into its work. An emptied composer does not prove either that the program has
// the text: Gemini CLI drops input submitted just before it starts a turn on something
// else. So the next message waits until the program has begun on the last: by its own
// report where it makes one, since it may have queued the text, and elsewhere by its screen.

// NoteCopies notes them at a look. What stands in a composer is not yet one.
func (m *Memory) NoteCopies(o *sight.Observation, mark string) {
	switch {
	case !o.Profile.HasMarkers():
		m.before = copies{mark: mark, n: profile.Times(o.Screen.Lines, mark)}
	case o.Composing:
		m.before = copies{mark, profile.Times(o.Above, mark), o.Above}
	}
}

// Copies returns how often the screen showed a message at the last look that noted it.
func (m *Memory) Copies(mark string) int { return m.before.of(mark) }

// NoteNamed notes that the program itself says of the text typed last that it has it: a person may have entered it, and
// the database knows that first.
func (m *Memory) NoteNamed(of *team.Member, on *team.Terminal) {
	x := m.Text
	if x == nil || x.Taken || x.On != on || x.QueuedAt.After(x.Message.Timestamp) {
		return // of one that is sent again, it can name the first
	}
	if at, named := of.NamedAt(x.ShortID()); named && !at.Before(x.Message.Timestamp) {
		x.Given = Given{Entered: at, Told: at, Taken: true, Queued: true, Typed: x.Message.Timestamp}
		m.Given = x
	}
}

// hints is how many rows above a composer may differ although nothing was said: programs show hints there.
const hints = 2

// SeeGiven notes whether the text that was entered last was taken out of the conversation again, as Escape does before
// the first word: it stands in the composer, and above that stands what stood there before it was typed. A text that a
// person recalls stands in the conversation, too, or has had its answer. h is what the screen holds a message for.
func (m *Memory) SeeGiven(o *sight.Observation, h sight.Hold) {
	g := m.Given
	m.Undone = nil
	if g == nil || !g.Taken || g.On != o.On || !o.Profile.HasMarkers() || o.Hides() {
		return
	}
	g.Gone = g.Gone || o.Composing && !o.Holds(&g.Letter)
	if shown := g.shownAbove(o); shown || g.Kept || g.Above == nil {
		g.Kept = g.Kept || h.None()
		return
	}

	more, was := 0, strings.Join(g.Above, "\n")
	for _, row := range o.Above {
		if strings.TrimSpace(row) != "" && !profile.Holds(was, row) { // another width only breaks them elsewhere
			more++
		}
	}
	drawn := g.Gone || o.Screen.Drawn.After(g.Told) // else it may only not have drawn that it has it
	back := o.Composing && m.ownText(o).Code() == parley.HoldRecalled
	quiet := sight.Touched(o.Now, o.Screen, 0).None() // else they may just have entered it again
	if back && drawn && quiet && g.recognises(o) && o.HoldsOnly(&g.Letter) && more <= hints {
		m.Undone = g
	}
}

// beginsWithin is how many times a profile's quiet a program may take to show that it
// works on what was entered. A busy machine's took 1 s, twice the quiet of them all.
const beginsWithin = 4

// startRest is how long the screen of a program must rest before its first message, beyond its
// profile's quiet: a program may drop a text while it still draws itself, and that takes the
// longer the slower its machine is. Claude Code 2.1.330 dropped one on a machine with a load of 20,
// after 10 s of starting and half a second of rest.
func (m *Memory) startRest(o *sight.Observation, s *sight.Standing) time.Duration {
	drawing := o.Now.Add(-s.Steady).Sub(o.On.Started)
	if m.Last().On == o.On || o.On.Started.IsZero() || drawing > time.Minute {
		return 0
	}
	return min(drawing/4, 3*time.Second)
}

// MayRefuse reports whether the program may yet refuse what it has taken: nothing has shown that it is signed in.
func (m *Memory) MayRefuse(o *sight.Observation) bool {
	return o.Profile.RefusesWithin > 0 && m.Served != o.On
}

// Reports tells whether a program is expected to say that it was given a message. One that
// never did, although it had time, is not: its user may have turned that off.
func (m *Memory) Reports(o *sight.Observation) bool {
	return o.Profile.HasMarkers() && o.Profile.Reports.Prompts() && (m.silent != o.On || o.Names)
}

// ownText holds while a text of parley's stands in the composer. The one that was entered last is
// expected to leave it: a program can report a prompt before it draws that. Any other was brought back,
// unless it is one that lacks its Enter, which stranded knows.
func (m *Memory) ownText(o *sight.Observation) sight.Hold {
	g := m.Last()
	if g.On == o.On && g.recognises(o) && o.Now.Sub(g.Entered) <= o.Profile.TakenWithin {
		return sight.Held(parley.HoldNotBegun, "")
	}
	return sight.Held(parley.HoldRecalled, "")
}

// touched holds while a person types, and while the program has drawn nothing since it has read late
// what waited in its terminal: what is read late is shown late, and could be the keys of a person
// who has left. Behind a text that waits for its key, keys count for as long as a program may take to show them:
// Copilot drew those of a person more than 8 s late on a machine with a load of 40, and other things meanwhile.
func (m *Memory) touched(o *sight.Observation) sight.Hold {
	now, screen := o.Now, o.Screen
	if !o.Requested.IsZero() {
		now = o.Requested // tmux may have answered late
	}
	if waited := m.keysWaited(o); waited.After(screen.Touched) {
		screen.Touched = waited
	}
	lag := m.lag
	if x := m.Text; x != nil && x.Keyless && x.On == o.On {
		lag = sight.UnshownPause // the key would take along what they typed behind it
	}
	return sight.Touched(now, screen, lag)
}

// keysWaited returns when keys of a person may last have waited to be read. Those that tmux kept back for an earlier
// daemon have gone to the program when their time was over, or when this one began.
func (m *Memory) keysWaited(o *sight.Observation) time.Time {
	touched := o.Screen.Touched
	switch {
	case o.Screen.Unviewed:
		return time.Time{}
	case touched.IsZero(), !touched.Before(m.Released):
		return m.Unread
	}
	gone := touched.Add(time.Second + tmux.KeysWaitFor) // tmux tells whole seconds
	if gone.After(m.Released) {
		gone = m.Released
	}
	return Later(m.Unread, gone.Add(KeysRest))
}

// KeysRest is how long after an attempt tmux may still keep the keys back that a person has pressed
// since the one that submits. The program shows them after that.
const KeysRest = time.Second

// readLate reports whether the program has drawn nothing since it read late what waited in its terminal.
// tmux tells in whole seconds when it has drawn.
func (m *Memory) readLate(o *sight.Observation) bool {
	waited := m.keysWaited(o)
	return o.Now.Sub(waited) <= sight.UnshownPause && o.Screen.Drawn.Before(waited.Truncate(time.Second))
}

// notBegun holds until the program has begun on what it was given last, as far as its
// screen and its own report can tell. h is what else is in the way.
func (m *Memory) notBegun(o *sight.Observation, s *sight.Standing, h sight.Hold) sight.Hold {
	waits := m.unreported(o, h.None()) || m.unshown(o)
	active := o.Report.At.After(m.Last().Entered) || o.Now.Add(-s.Steady).After(m.Last().Entered)

	// What it says that it works on may be what it was given before the last message.
	past := h.Working() && o.Shows == profile.Idle

	switch {
	case !h.None() && !past:
		return h
	case waits:
		return sight.Held(parley.HoldNotBegun, "")
	case m.Last().On == o.On && !active && o.Now.Sub(m.Last().Entered) <= beginsWithin*o.Profile.Quiet:
		h = sight.Held(parley.HoldNotBegun, "")
		h.Only = true
		return h
	}
	return h
}

// shownWithin is how long a program may take to show the first message of its session. opencode
// took 60 s from its start to its first request on a machine with a load of 20.
const shownWithin = time.Minute

// unshown reports whether the program has not shown the message entered last, as it must before it
// takes another.
func (m *Memory) unshown(o *sight.Observation) bool {
	g := m.Last()
	if g.On != o.On || o.ShowsAbove(&g.Letter) || o.Now.Sub(g.Entered) > shownWithin {
		g.Unshown = false
	}
	return g.Unshown
}

// unreported reports whether the message entered last may be on its way from the program's
// queue into a turn. A program that rests for long has begun, or has not got it.
func (m *Memory) unreported(o *sight.Observation, looksIdle bool) bool {
	g := m.Last()
	switch {
	case !g.Unreported:
		return false
	case g.On != o.On, !m.Reports(o), !o.Before.IsZero() && !o.Before.Before(g.Typed):
		g.Unreported = false
		return false
	case !looksIdle:
		g.idle = time.Time{}
		return false
	case g.idle.IsZero():
		g.idle = o.Now
	}

	if o.Now.Sub(g.idle) < o.Profile.TakenWithin {
		return true
	}
	if !o.Names {
		m.silent = o.On
	}
	g.Unreported = false

	return false
}

// NoteHanded notes a message as the one that the program was given last: what is typed next waits until it has begun.
// A text that was entered after it was handed over stays the last.
func (m *Memory) NoteHanded(job *store.Job, on *team.Terminal, l letter.Letter, g Given) {
	if last := m.Given; last != nil && last.On == on && last.Entered.After(g.Typed) {
		return
	}
	m.Given = m.NewText(on)
	m.Given.Job, m.Given.Letter, m.Given.Given = *job, l, g
}

// Later returns the later one.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
