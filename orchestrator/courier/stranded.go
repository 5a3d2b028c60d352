package courier

import (
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
	"parley/store"
	"parley/tmux"
)

// A text can stay in a terminal when its attempt is over: the program lost the Enter, or the
// daemon ended before it. It is parley's own. So it is not taken for a person's draft, nothing is
// typed behind it, and a retry does not type it again: the key that it lacks is pressed where that
// does no harm, and otherwise the operator is asked.

// strand notes that an attempt leaves the text unproven in its terminal.
func (x *typed) strand(job store.Job, a *attempt, out tmux.Outcome) *typed {
	x.Job, x.Dismissed = job, false
	x.State, x.Announced = parley.DeliveryUnconfirmed, x.letter.Announced
	x.read = time.Time{}
	x.stranded = stranded{
		phase: out.PanePhase(), pasted: out.PastedAt, left: !a.entered.gone.IsZero() || a.followed.idle,
	}
	return x
}

// see notes what a look shows of the text, which may be mistaken for another.
func (s *typed) see(o *sight.Observation, mistaken bool) {
	switch {
	case o.Facts.Unread > 0:
		s.read = time.Time{}
	case s.read.IsZero():
		s.read = o.Now
	}
	if s.fate = s.fateOn(o); s.fate == fateAlone && mistaken {
		s.fate = fateMixed
	}
	switch s.fate {
	case fateMixed:
		s.noteBeside(o)
	case fateElsewhere:
		s.noteElsewhere(o)
	case fateShown:
		s.submitted(o, !o.Unvisited())
	}
	s.stood = s.stood || s.fate == fateAlone || s.fate == fateMixed || s.fate == fateHidden
}

// back reports whether a text in the composer is one that the program was given before: a person can recall
// it, and a program puts back the prompt of a turn that is interrupted at once.
func (s *typed) back(o *sight.Observation) bool {
	if !o.Profile.HasMarkers() || s.Waits() || s.Code() == parley.EndedUndone {
		return false
	}
	return s.elsewhere || s.wasEntered() && s.left || s.shownAbove(o)
}

// mistakes reports whether what the composer shows in place of a text may be in place of the one that was entered last,
// which a person can recall.
func (m *memory) mistakes(s *typed, o *sight.Observation) bool {
	g := m.given
	return g != nil && g != s && g.on == o.On && !profile.Holds(o.Composer, s.letter.Mark) && g.recognises(o)
}

// noteElsewhere notes that a text whose key was not pressed stands above the composer instead. Back in that, it gets no
// key: its program may have been given it. After a crash, one that is sent again may stand there from the first time.
func (s *typed) noteElsewhere(o *sight.Observation) {
	again := s.of(s.letter.Mark) == 0 && s.QueuedAt.After(s.Message.Timestamp)
	if o.Profile.HasMarkers() && o.Composing && !o.Holds(&s.letter) && s.shownAbove(o) && !again {
		s.elsewhere = true
	}
}

// shownAbove reports whether the program shows the text among what it was given.
func (s *typed) shownAbove(o *sight.Observation) bool {
	l := &s.letter
	return o.ShowsAbove(l) && profile.Times(o.Above, l.Mark) > s.of(l.Mark)
}

// answered reports whether an answer stands below a text that its program does not report: a person has entered it, and
// it stands nowhere any more.
func (s *typed) answered(o *sight.Observation) bool {
	return !o.Profile.Reports.Prompts() && o.Profile.Answered(o.Above, s.letter.Mark, s.of(s.letter.Mark))
}

func (s *typed) fateOn(o *sight.Observation) fate {
	l := &s.letter

	switch {
	case o.On != s.on:
		return fateGone
	case o.Holds(l) && s.back(o):
		return fateBack
	case o.HoldsOnly(l) && s.recognises(o):
		return fateAlone
	case o.Composing && profile.Holds(o.Composer, l.Mark):
		return fateMixed
	case !o.Profile.HasMarkers():
		if !s.wasEntered() { // it shows no composer in which the text would be missed
			return fateHidden
		}
		return fateGone
	case s.shownAbove(o) && !s.wasEntered() && !s.answered(o):
		return fateElsewhere
	case s.shownAbove(o) && s.wasEntered() && !s.doubted:
		return fateShown
	case !o.Composing && profile.Shown(o.Screen.Lines, l.Foot): // it may cover what shows a composer
		return fateHidden
	case !s.wasEntered() && o.Now.Sub(s.read) < s.drawnWithin(o):
		return fateUndrawn
	}

	return fateGone
}

// drawnWithin is how long the program may take to draw the text that it has read. One that has drawn
// nothing at all since the paste may do so yet.
func (s *typed) drawnWithin(o *sight.Observation) time.Duration {
	if !s.pasted.IsZero() && o.Screen.Drawn.Before(s.pasted) {
		return max(o.Profile.ShowWithin, shownWithin)
	}
	return o.Profile.ShowWithin
}

// pressable reports whether the key that the text lacks may be pressed: once more by itself, and
// again when the operator asks for a retry. A text that is not seen gets it only then.
func (s *typed) pressable() bool {
	switch s.fate {
	case fateAlone:
		return s.Waits() || !s.Dismissed && s.Code() != parley.EndedUndone && s.phase != tmux.PaneEnteredAgain &&
			(s.on.Profile.HasMarkers() || !s.wasEntered())
	case fateHidden:
		return s.Waits() && !s.on.Profile.HasMarkers()
	}
	return false
}

// hold returns why a message waits while the text may stand in the terminal; h is what else is in
// the way. It lets the message go when the text is gone, or its key may be pressed.
func (s *typed) hold(h sight.Hold) sight.Hold {
	elsewhere := s.fate == fateElsewhere && !s.Waits()
	stands := s.fate == fateAlone || s.fate == fateMixed || s.fate == fateHidden || elsewhere
	seenTo := s.Dismissed && (elsewhere || s.fate == fateHidden && !s.on.Profile.HasMarkers())
	covered := s.fate == fateHidden && h.Code() == parley.HoldUnknownScreen
	switch {
	case s.fate == fateUndrawn && h.None():
		return sight.Held(parley.HoldNotBegun, "")
	case !stands, seenTo, !h.None() && !h.Composed() && !covered:
		return h
	case s.pressable():
		return sight.Hold{}
	case elsewhere, s.fate == fateHidden && !covered:
		return sight.Held(parley.HoldUnsent, parley.Short(s.Message.ID))
	}
	return sight.Held(parley.HoldOwnText, "")
}
