package sight

import (
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

const (
	// SteadyAfter is how long a screen must show something before it is believed
	// against what was believed before: unknown rows pass by while a program redraws.
	SteadyAfter = 3 * time.Second
	// overruled is how long a screen must steadily show something else than what the
	// program reported before the screen is believed. Not every end of a turn is
	// reported (one that a person interrupts is not), and a screen follows a report
	// within some frames.
	overruled = 3 * time.Second
	// Passed is the same for a report of what ends by itself. Its end is reported too, but
	// that report can get lost. Programs show a compaction within a second.
	Passed = 10 * time.Second
	// asksAfter is how long a screen that no marker knows must last before what looks like a question on it
	// is believed: rows of a transcript can look like one while a program redraws.
	asksAfter = time.Second
)

// Standing is what an agent whose screen has markers is doing.
type Standing struct {
	State    parley.AgentState
	Evidence string
	Steady   time.Duration // for how long the screen has shown the same

	Composer bool // its composer is on the screen
	draft    bool // something stands in it
	Limit    team.Limit
}

// ReadStanding reads a screen that has markers, together with what the program itself
// reports and says in its terminal's title.
func ReadStanding(t *team.Terminal, now time.Time, screen tmux.Screen, said team.Report) Standing {
	o := Look(NewMachine(), new(Readings), t, now, screen)
	o.See(&t.Shown)
	o.Heed(said)
	return o.Standing()
}

// See notes what the screen shows, unless that is not the program's own yet.
func (o *Observation) See(shown *team.StateTimer) {
	if !o.starting() {
		o.Since = shown.Since(o.Now, o.Shows)
	}
}

// Heed takes the program's own report. What looks like the end of a failed turn is somebody's text if the program
// rests and reports failures, and has not reported this one: a user's command can show a line of a log.
func (o *Observation) Heed(said team.Report) {
	o.Report = said
	told := said.State == parley.StateIdle && !said.Failed && o.Profile.Reports.Failures() &&
		o.Profile.Reports.Prompts()
	if o.Shows == profile.Blocked && o.Composing && told && min(o.Now.Sub(o.Since), o.Now.Sub(said.At)) >= overruled {
		o.Shows, o.limit = profile.Idle, team.Limit{}
	}
}

// starting reports whether the program has not taken over its terminal.
func (o *Observation) starting() bool { return o.TTY.Known && o.TTY.Canonical && !o.Profile.OneLine }

// Standing says what the program is doing. What speaks against typing counts: a program is
// idle only when nothing says otherwise.
func (o *Observation) Standing() Standing {
	if o.starting() {
		return Standing{State: parley.StateStarting, Evidence: "its program has not taken over the terminal"}
	}

	said := o.Report
	s := Standing{Composer: o.Composing, draft: strings.TrimSpace(o.Composer) != "", Steady: o.Now.Sub(o.Since)}
	switch o.Shows {
	case profile.Dialog:
		s.State, s.Evidence = parley.StateWaiting, "its screen shows a dialog"
	case profile.Busy:
		s.State, s.Evidence = parley.StateBusy, "its screen says that it works"
	case profile.Blocked:
		s.State, s.Evidence = parley.StateBlocked, "its screen shows: "+o.Cause
		if s.Limit = o.limit; s.Limit.On {
			s.Evidence += s.Limit.Words()
		}
	case profile.Idle:
		s.State, s.Evidence = parley.StateIdle, "its screen shows an open composer"
	default:
		s.State, s.Evidence = parley.StateUnknown, "its screen shows nothing that is known"
		if !o.Question.None() && s.Steady >= asksAfter {
			s.State, s.Evidence = parley.StateWaiting, o.Question.evidence()
		}
	}

	if o.Shows != o.reading.Shows && o.Shows != profile.Idle {
		s.Evidence = "the title of its terminal says so"
	}

	if s.State == parley.StateIdle {
		switch {
		case restrains(said.State) && o.Now.Sub(o.Since) < overruled,
			restrains(said.State) && o.Now.Sub(said.At) < overruled,
			said.State == parley.StateBlocked && !o.hasPassed() && o.Since.Before(said.At.Add(overruled)):
			// until it has worked again
			s.State, s.Evidence = said.State, said.Evidence()
			if s.State == parley.StateExited { // whether it is gone is for tmux to say
				s.State = parley.StateUnknown
			}
		case said.State == parley.StateIdle && said.At.After(o.Since.Add(-overruled)):
			s.Evidence = said.Evidence()
			if !o.mayHaveFailed() { // it has said that it is done
				s.Steady = max(s.Steady, overruled)
			}
		}
	}

	switch {
	case s.State == parley.StateIdle && !s.Composer:
		s.State, s.Evidence = parley.StateUnknown, "its screen shows no composer"
	case s.State == parley.StateIdle && s.draft:
		s.State, s.Evidence = parley.StateDrafting, "an unsent text stands in its composer"
	}

	return s
}

// mayHaveFailed reports whether the turn of which the program says that it is over may have failed: that shows on its
// screen alone, a moment after the report.
func (o *Observation) mayHaveFailed() bool {
	return len(o.Profile.Markers.Blocked) > 0 && !o.Profile.Reports.Failures()
}

// hasPassed reports whether what blocked the program, by its report, must have ended: it
// would show on the screen, which has looked idle for long.
func (o *Observation) hasPassed() bool {
	said := o.Report
	return said.Passing && o.Now.Sub(said.At) >= Passed && o.Now.Sub(o.Since) >= Passed-overruled
}

// restrains reports whether a program in this state is not to be typed to.
func restrains(state parley.AgentState) bool {
	switch state {
	case parley.StateBusy, parley.StateWaiting, parley.StateBlocked, parley.StateExited:
		return true
	}
	return false
}

// Hold returns what is in the way of typing into an agent that stands so. rest is how long
// its screen must have been at rest.
func (s *Standing) Hold(rest time.Duration) Hold {
	only := s.Composer && !s.draft
	switch s.State {
	case parley.StateIdle:
		if s.Steady < rest {
			return Held(parley.HoldSettling, "")
		}
		return Hold{}
	case parley.StateBusy:
		h := Held(parley.HoldBusy, "")
		h.Only = only
		return h
	case parley.StateWaiting:
		return Held(parley.HoldDialog, "")
	case parley.StateDrafting:
		return Held(parley.HoldDraft, "")
	case parley.StateBlocked:
		h := Held(parley.HoldBlocked, s.Evidence)
		if s.Limit.On {
			h = Held(parley.HoldLimit, s.Limit.Words())
		}
		h.Only = only
		return h
	case parley.StateStarting:
		return Held(parley.HoldStarting, "")
	}

	return Held(parley.HoldUnknownScreen, "")
}
