package courier

import (
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

// observation is all that an attempt knows of its terminal at one moment. The next step
// depends on it and on what the attempt and its memory hold from earlier ones.
type observation struct {
	now     time.Time
	on      *team.Terminal // to tell it from an earlier one, and for nothing else
	profile *profile.Profile
	screen  tmux.Screen

	requested time.Time // when tmux was asked for the screen; zero: just now

	*reading
	shows    profile.State // by the screen and the title of the terminal
	since    time.Time     // every look since then showed that
	tty      ttyMode
	limit    team.Limit
	question question    // that the terminal asks, as far as no markers know better
	place    func() spot // where a text would be typed into a program without markers

	facts  facts
	report team.Report // what the program said of its state last
	named  time.Time   // when its own report last named the message; zero: it has not
	before time.Time   // the same for the message that was entered last
	names  bool        // the program, since its launch, has named any message
}

// look reads a screen.
func look(h terminalHost, r *readings, t *team.Terminal, now time.Time, screen tmux.Screen) observation {
	if !screen.Ahead(now).IsZero() { // the clock was set back after a person's last key
		screen.Touched = time.Time{}
	}
	if keyed := t.Keyed(); keyed.After(screen.Touched) && !keyed.After(now) {
		screen.Touched = keyed
	}

	o := observation{now: now, on: t, profile: t.Profile, screen: screen, tty: ttyModeOf(h, t)}
	o.read(r)
	o.shows = o.withTitle(t.Profile, screen.Title)
	o.limit = t.Limit.See(&o.Reading, now)
	o.judgeQuestion(hidesInput(h, t))
	o.place = func() spot { return spotOn(h, t, &screen) }
	return o
}

// read reads what its profile finds on the screen.
func (o *observation) read(r *readings) { o.reading = r.read(o.profile, &o.screen) }

// judgeQuestion notes what the terminal asks: of a program without markers it is an open dialog then, as far
// as anybody can tell. hides says that the terminal hides what is typed.
func (o *observation) judgeQuestion(hides bool) {
	o.question = questionOf(o.Asks, hides && !o.profile.HasMarkers())
	if !o.question.none() && !o.profile.HasMarkers() {
		o.shows = profile.Dialog
	}
}

// namedSince reports whether the program itself said, since then, that it was given the
// message.
func (o *observation) namedSince(t time.Time) bool { return !o.named.IsZero() && !o.named.Before(t) }

// steadyPart returns what must be at rest before the key: the composer. Elsewhere a program
// may show a clock or a spinner that never rests.
func (o *observation) steadyPart() string {
	s := &o.screen
	if !o.profile.HasMarkers() {
		return fmt.Sprint(s.CursorX, s.CursorY, "\n", s.Text())
	}
	return fmt.Sprint(s.CursorX, s.CursorY, " ", o.reading.Shows, "\n", o.Composer)
}

// holds reports whether the text of a letter stands in the composer, unsent.
func (o *observation) holds(l *letter) bool {
	return o.of(l).composed
}

// holdsOnly reports whether the text and nothing else stands in the composer: a person's
// keys between it and the key would be submitted with it. Where nobody can have pressed any, letters may be missing:
// some programs cut off what does not fit.
func (o *observation) holdsOnly(l *letter) bool {
	if !o.profile.HasMarkers() {
		return o.holds(l) // what stands before it in the line may be a prompt
	}
	return o.of(l).only || o.unvisited() && o.of(l).cut
}

// unvisited reports whether no person has ever been at the terminal.
func (o *observation) unvisited() bool { return o.screen.Unviewed && o.screen.Touched.IsZero() }

// ownText reports whether a text of parley's stands in the composer, unsent.
func (o *observation) ownText() bool { return o.Composing && parley.HoldsTyped(o.Composer) }

// showsAbove reports whether the screen shows a letter above the composer, where the program shows
// what it was given.
func (o *observation) showsAbove(l *letter) bool { return o.of(l).above }

// hides reports that a text can stand in a composer that is not seen: the Enter may have
// gone to a dialog that opened at that moment.
func (o *observation) hides() bool {
	return o.reading.Shows == profile.Unknown || o.reading.Shows == profile.Dialog
}

// typable holds when the agent is being stopped, or another program has the terminal.
func (o *observation) typable() hold {
	if o.facts.stopping {
		return held(parley.HoldStopping, "")
	}
	if o.facts.leaseOver {
		return held(parley.HoldLease, "")
	}
	if o.profile.Instant() {
		return hold{} // it was looked at before the claim
	}
	return o.facts.otherProgram()
}
