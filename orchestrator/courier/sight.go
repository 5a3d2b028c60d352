package courier

import (
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/tmux"
)

const (
	// steadyAfter is how long a screen must show something before it is believed
	// against what was believed before: unknown rows pass by while a program redraws.
	SteadyAfter = 3 * time.Second
	// overruled is how long a screen must steadily show something else than what the
	// program reported before the screen is believed. Not every end of a turn is
	// reported (one that a person interrupts is not), and a screen follows a report
	// within some frames.
	overruled = 3 * time.Second
	// typingPause is how long after a person's last key in a terminal it is theirs.
	// tmux tells the time of that key in whole seconds.
	typingPause = 3 * time.Second
	// unshownPause is the same while nothing was drawn since that key: a program that is
	// busy shows what it was given late. Copilot took more than two seconds on a machine
	// that had ten things to do at once.
	unshownPause = 10 * time.Second
)

// standing is what an agent whose screen can be read is doing.
type Standing struct {
	State    parley.AgentState
	Evidence string
	composer bool          // its composer is on the screen
	draft    bool          // something stands in it
	Steady   time.Duration // the screen has shown the same state for so long
}

// standing reads a screen that has markers, together with what the program itself
// says in reports and in its terminal's title. What speaks against typing counts: a
// program is idle only when nothing says otherwise.
func ReadStanding(t *team.Terminal, now time.Time, screen tmux.Screen, said team.Report) Standing {
	if canonical, err := tmux.Canonical(t.TTY); err == nil && canonical && !t.Profile.OneLine {
		return Standing{State: parley.StateStarting, Evidence: "its program has not taken over the terminal"}
	}

	shows := looksOf(t.Profile, screen)
	text, ok := t.Profile.Composer(shown(screen))
	from := t.Sight.See(now, shows)
	s := Standing{composer: ok, draft: strings.TrimSpace(text) != "", Steady: now.Sub(from)}
	switch shows {
	case profile.Dialog:
		s.State, s.Evidence = parley.StateWaiting, "its screen shows a dialog"
	case profile.Busy:
		s.State, s.Evidence = parley.StateBusy, "its screen says that it works"
	case profile.Blocked:
		s.State, s.Evidence = parley.StateBlocked, "its screen shows: "+t.Profile.BlockedBy(screen.Lines)
	case profile.Idle:
		s.State, s.Evidence = parley.StateIdle, "its screen shows an open composer"
	default:
		s.State, s.Evidence = parley.StateUnknown, "its screen shows nothing that is known"
	}

	if shows != t.Profile.Look(screen.Lines) {
		s.Evidence = "the title of its terminal says so"
	}

	if s.State == parley.StateIdle {
		switch {
		case restrains(said.State) && now.Sub(from) < overruled, restrains(said.State) && now.Sub(said.At) < overruled,
			said.State == parley.StateBlocked && from.Before(said.At.Add(overruled)): // until it has worked again
			s.State, s.Evidence = said.State, said.Words()
			if s.State == parley.StateExited { // whether it is gone is for tmux to say
				s.State = parley.StateUnknown
			}
		case said.State == parley.StateIdle && said.At.After(from.Add(-overruled)):
			s.Evidence, s.Steady = said.Words(), max(s.Steady, overruled) // it has said that it is done
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

// looksOf is what a screen shows, unless it shows only an open composer and the title
// of the terminal says more.
func looksOf(p *profile.Profile, s tmux.Screen) profile.State {
	shows := p.Look(s.Lines)
	if title, _ := p.Title(s.Title); shows == profile.Idle {
		switch title.State {
		case parley.StateWaiting:
			return profile.Dialog
		case parley.StateBusy:
			return profile.Busy
		case parley.StateBlocked:
			return profile.Blocked
		}
	}
	return shows
}

// restrains reports whether a program in this state is not to be typed to.
func restrains(state parley.AgentState) bool {
	switch state {
	case parley.StateBusy, parley.StateWaiting, parley.StateBlocked, parley.StateExited:
		return true
	}
	return false
}

// obstacle is what stands in the way of typing into an agent that stands so.
func (s Standing) obstacle(rest time.Duration) obstacle {
	switch s.State {
	case parley.StateIdle:
		if s.Steady < rest {
			return obstacle{reason: "it has only just come to rest", brief: true}
		}
		return free
	case parley.StateBusy:
		return obstacle{reason: "it is busy", brief: true, work: s.composer && !s.draft}
	case parley.StateWaiting:
		return obstacle{reason: "a dialog is open in its terminal, and the text would answer it"}
	case parley.StateDrafting:
		return obstacle{reason: "an unsent draft stands in its composer", draft: true, left: true}
	case parley.StateBlocked:
		return obstacle{reason: "it is blocked (" + s.Evidence + ")", block: s.composer && !s.draft}
	case parley.StateStarting:
		return obstacle{reason: s.Evidence, brief: true}
	}

	return obstacle{reason: "its screen shows nothing that is known to be ready", brief: true}
}

// touched stands in the way while a person types in the terminal: their text and
// ours would become one.
func touched(now time.Time, screen tmux.Screen) obstacle {
	switch since := now.Sub(screen.Touched); {
	case screen.Touched.IsZero():
		return free
	case since <= typingPause:
		return obstacle{reason: "someone is typing in its terminal", brief: true}
	case since <= unshownPause && screen.Drawn.Before(screen.Touched):
		return obstacle{reason: "someone has typed in its terminal, and it has shown nothing since", brief: true}
	}
	return free
}
