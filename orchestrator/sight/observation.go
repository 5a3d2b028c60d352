package sight

import (
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/program/typed"
	"parley/tmux"
)

// Observation is all that an attempt knows of its terminal at one moment. The next step
// depends on it and on what the attempt and its memory hold from earlier ones.
type Observation struct {
	Now     time.Time
	On      *team.Terminal // to tell it from an earlier one, and for nothing else
	Profile *profile.Profile
	Screen  tmux.Screen

	Requested time.Time // when tmux was asked for the screen; zero: just now

	*reading
	Shows    profile.State // by the screen and the title of the terminal
	Since    time.Time     // every look since then showed that
	TTY      TTYMode
	limit    team.Limit
	Question Question    // that the terminal asks, as far as no markers know better
	Place    func() Spot // where a text would be typed into a program without markers

	Facts  Facts
	Report team.Report // what the program said of its state last
	Named  time.Time   // when its own report last named the message; zero: it has not
	Before time.Time   // the same for the message that was entered last
	Names  bool        // the program, since its launch, has named any message
}

// Look reads a screen.
func Look(h Host, r *Readings, t *team.Terminal, now time.Time, screen tmux.Screen) Observation {
	if !screen.Ahead(now).IsZero() { // the clock was set back after a person's last key
		screen.Touched = time.Time{}
	}
	if keyed := t.Keyed(); keyed.After(screen.Touched) && !keyed.After(now) {
		screen.Touched = keyed
	}

	o := Observation{Now: now, On: t, Profile: t.Profile, Screen: screen, TTY: TTYModeOf(h, t)}
	o.read(r)
	o.Shows = o.withTitle(t.Profile, screen.Title)
	o.limit = t.Limit.See(&o.Reading, now)
	o.judgeQuestion(hidesInput(h, t))
	o.Place = func() Spot { return SpotOn(h, t, &screen) }
	return o
}

// read reads what its profile finds on the screen.
func (o *Observation) read(r *Readings) { o.reading = r.read(o.Profile, &o.Screen) }

// judgeQuestion notes what the terminal asks: of a program without markers it is an open dialog then, as far
// as anybody can tell. hides says that the terminal hides what is typed.
func (o *Observation) judgeQuestion(hides bool) {
	o.Question = QuestionOf(o.Asks, hides && !o.Profile.HasMarkers())
	if !o.Question.None() && !o.Profile.HasMarkers() {
		o.Shows = profile.Dialog
	}
}

// NamedSince reports whether the program itself said, since then, that it was given the
// message.
func (o *Observation) NamedSince(t time.Time) bool { return !o.Named.IsZero() && !o.Named.Before(t) }

// SteadyPart returns what must be at rest before the key: the composer. Elsewhere a program
// may show a clock or a spinner that never rests.
func (o *Observation) SteadyPart() string {
	s := &o.Screen
	if !o.Profile.HasMarkers() {
		return fmt.Sprint(s.CursorX, s.CursorY, "\n", s.Text())
	}
	return fmt.Sprint(s.CursorX, s.CursorY, " ", o.reading.Shows, "\n", o.Composer)
}

// Holds reports whether the text of a letter stands in the composer, unsent.
func (o *Observation) Holds(l *letter.Letter) bool {
	return o.of(l).composed
}

// HoldsOnly reports whether the text and nothing else stands in the composer: a person's
// keys between it and the key would be submitted with it. Where nobody can have pressed any, letters may be missing:
// some programs cut off what does not fit.
func (o *Observation) HoldsOnly(l *letter.Letter) bool {
	if !o.Profile.HasMarkers() {
		return o.Holds(l) // what stands before it in the line may be a prompt
	}
	return o.of(l).only || o.Unvisited() && o.of(l).cut
}

// Unvisited reports whether no person has ever been at the terminal.
func (o *Observation) Unvisited() bool { return o.Screen.Unviewed && o.Screen.Touched.IsZero() }

// OwnText reports whether a text of parley's stands in the composer, unsent.
func (o *Observation) OwnText() bool { return o.Composing && typed.Holds(o.Composer) }

// ShowsAbove reports whether the screen shows a letter above the composer, where the program shows
// what it was given.
func (o *Observation) ShowsAbove(l *letter.Letter) bool { return o.of(l).above }

// Hides reports that a text can stand in a composer that is not seen: the Enter may have
// gone to a dialog that opened at that moment.
func (o *Observation) Hides() bool {
	return o.reading.Shows == profile.Unknown || o.reading.Shows == profile.Dialog
}

// Typable holds when the agent is being stopped, or another program has the terminal.
func (o *Observation) Typable() Hold {
	if o.Facts.Stopping {
		return Held(parley.HoldStopping, "")
	}
	if o.Facts.LeaseOver {
		return Held(parley.HoldLease, "")
	}
	if o.Profile.Instant() {
		return Hold{} // it was looked at before the claim
	}
	return o.Facts.OtherProgram()
}
