package courier

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
	// passed is the same for a report of what ends by itself. Its end is reported too, but
	// that report can get lost. Programs show a compaction within a second.
	passed = 10 * time.Second
	// asksAfter is how long a screen that no marker knows must last before what looks like a question on it
	// is believed: rows of a transcript can look like one while a program redraws.
	asksAfter = time.Second
)

// Standing is what an agent whose screen has markers is doing.
type Standing struct {
	State    parley.AgentState
	Evidence string
	Steady   time.Duration // for how long the screen has shown the same

	composer bool // its composer is on the screen
	draft    bool // something stands in it
	limit    team.Limit
}

// ReadStanding reads a screen that has markers, together with what the program itself
// reports and says in its terminal's title.
func ReadStanding(t *team.Terminal, now time.Time, screen tmux.Screen, said team.Report) Standing {
	o := look(NewMachine(), new(readings), t, now, screen)
	o.see(&t.Shown)
	o.heed(said)
	return o.standing()
}

// see notes what the screen shows, unless that is not the program's own yet.
func (o *observation) see(shown *team.StateTimer) {
	if !o.starting() {
		o.since = shown.Since(o.now, o.shows)
	}
}

// heed takes the program's own report. What looks like the end of a failed turn is somebody's text if the program
// rests and reports failures, and has not reported this one: a user's command can show a line of a log.
func (o *observation) heed(said team.Report) {
	o.report = said
	told := said.State == parley.StateIdle && !said.Failed && o.profile.Reports.Failures() &&
		o.profile.Reports.Prompts()
	if o.shows == profile.Blocked && o.Composing && told && min(o.now.Sub(o.since), o.now.Sub(said.At)) >= overruled {
		o.shows, o.limit = profile.Idle, team.Limit{}
	}
}

// starting reports whether the program has not taken over its terminal.
func (o *observation) starting() bool { return o.tty.known && o.tty.canonical && !o.profile.OneLine }

// standing says what the program is doing. What speaks against typing counts: a program is
// idle only when nothing says otherwise.
func (o *observation) standing() Standing {
	if o.starting() {
		return Standing{State: parley.StateStarting, Evidence: "its program has not taken over the terminal"}
	}

	said := o.report
	s := Standing{composer: o.Composing, draft: strings.TrimSpace(o.Composer) != "", Steady: o.now.Sub(o.since)}
	switch o.shows {
	case profile.Dialog:
		s.State, s.Evidence = parley.StateWaiting, "its screen shows a dialog"
	case profile.Busy:
		s.State, s.Evidence = parley.StateBusy, "its screen says that it works"
	case profile.Blocked:
		s.State, s.Evidence = parley.StateBlocked, "its screen shows: "+o.Cause
		if s.limit = o.limit; s.limit.On {
			s.Evidence += s.limit.Words()
		}
	case profile.Idle:
		s.State, s.Evidence = parley.StateIdle, "its screen shows an open composer"
	default:
		s.State, s.Evidence = parley.StateUnknown, "its screen shows nothing that is known"
		if !o.question.none() && s.Steady >= asksAfter {
			s.State, s.Evidence = parley.StateWaiting, o.question.evidence()
		}
	}

	if o.shows != o.reading.Shows && o.shows != profile.Idle {
		s.Evidence = "the title of its terminal says so"
	}

	if s.State == parley.StateIdle {
		switch {
		case restrains(said.State) && o.now.Sub(o.since) < overruled,
			restrains(said.State) && o.now.Sub(said.At) < overruled,
			said.State == parley.StateBlocked && !o.hasPassed() && o.since.Before(said.At.Add(overruled)):
			// until it has worked again
			s.State, s.Evidence = said.State, said.Evidence()
			if s.State == parley.StateExited { // whether it is gone is for tmux to say
				s.State = parley.StateUnknown
			}
		case said.State == parley.StateIdle && said.At.After(o.since.Add(-overruled)):
			s.Evidence = said.Evidence()
			if !o.mayHaveFailed() { // it has said that it is done
				s.Steady = max(s.Steady, overruled)
			}
		}
	}

	switch {
	case s.State == parley.StateIdle && !s.composer:
		s.State, s.Evidence = parley.StateUnknown, "its screen shows no composer"
	case s.State == parley.StateIdle && s.draft:
		s.State, s.Evidence = parley.StateDrafting, "an unsent text stands in its composer"
	}

	return s
}

// mayHaveFailed reports whether the turn of which the program says that it is over may have failed: that shows on its
// screen alone, a moment after the report.
func (o *observation) mayHaveFailed() bool {
	return len(o.profile.Markers.Blocked) > 0 && !o.profile.Reports.Failures()
}

// hasPassed reports whether what blocked the program, by its report, must have ended: it
// would show on the screen, which has looked idle for long.
func (o *observation) hasPassed() bool {
	said := o.report
	return said.Passing && o.now.Sub(said.At) >= passed && o.now.Sub(o.since) >= passed-overruled
}

// restrains reports whether a program in this state is not to be typed to.
func restrains(state parley.AgentState) bool {
	switch state {
	case parley.StateBusy, parley.StateWaiting, parley.StateBlocked, parley.StateExited:
		return true
	}
	return false
}

// hold returns what is in the way of typing into an agent that stands so. rest is how long
// its screen must have been at rest.
func (s *Standing) hold(rest time.Duration) hold {
	only := s.composer && !s.draft
	switch s.State {
	case parley.StateIdle:
		if s.Steady < rest {
			return held(parley.HoldSettling, "")
		}
		return hold{}
	case parley.StateBusy:
		h := held(parley.HoldBusy, "")
		h.only = only
		return h
	case parley.StateWaiting:
		return held(parley.HoldDialog, "")
	case parley.StateDrafting:
		return held(parley.HoldDraft, "")
	case parley.StateBlocked:
		h := held(parley.HoldBlocked, s.Evidence)
		if s.limit.On {
			h = held(parley.HoldLimit, s.limit.Words())
		}
		h.only = only
		return h
	case parley.StateStarting:
		return held(parley.HoldStarting, "")
	}

	return held(parley.HoldUnknownScreen, "")
}
