package attempt

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

// Strand notes that an attempt leaves the text unproven in its terminal.
func (x *Typed) Strand(job store.Job, a *Attempt, out tmux.Outcome) *Typed {
	x.Job, x.Dismissed = job, false
	x.State, x.Announced = parley.DeliveryUnconfirmed, x.Letter.Announced
	x.Read = time.Time{}
	x.Stranded = Stranded{
		Phase: out.PanePhase(), pasted: out.PastedAt, Left: !a.Entered.gone.IsZero() || a.Followed.idle,
	}
	return x
}

// See notes what a look shows of the text, which may be mistaken for another.
func (s *Typed) See(o *sight.Observation, mistaken bool) {
	switch {
	case o.Facts.Unread > 0:
		s.Read = time.Time{}
	case s.Read.IsZero():
		s.Read = o.Now
	}
	if s.Fate = s.fateOn(o); s.Fate == FateAlone && mistaken {
		s.Fate = fateMixed
	}
	switch s.Fate {
	case fateMixed:
		s.noteBeside(o)
	case fateElsewhere:
		s.NoteElsewhere(o)
	case FateShown:
		s.submitted(o, !o.Unvisited())
	}
	s.Stood = s.Stood || s.Fate == FateAlone || s.Fate == fateMixed || s.Fate == fateHidden
}

// back reports whether a text in the composer is one that the program was given before: a person can recall
// it, and a program puts back the prompt of a turn that is interrupted at once.
func (s *Typed) back(o *sight.Observation) bool {
	if !o.Profile.HasMarkers() || s.Waits() || s.Code() == parley.EndedUndone {
		return false
	}
	return s.elsewhere || s.WasEntered() && s.Left || s.shownAbove(o)
}

// Mistakes reports whether what the composer shows in place of a text may be in place of the one that was entered last,
// which a person can recall.
func (m *Memory) Mistakes(s *Typed, o *sight.Observation) bool {
	g := m.Given
	return g != nil && g != s && g.On == o.On && !profile.Holds(o.Composer, s.Letter.Mark) && g.recognises(o)
}

// NoteElsewhere notes that a text whose key was not pressed stands above the composer instead. Back in that, it gets no
// key: its program may have been given it. After a crash, one that is sent again may stand there from the first time.
func (s *Typed) NoteElsewhere(o *sight.Observation) {
	again := s.of(s.Letter.Mark) == 0 && s.QueuedAt.After(s.Message.Timestamp)
	if o.Profile.HasMarkers() && o.Composing && !o.Holds(&s.Letter) && s.shownAbove(o) && !again {
		s.elsewhere = true
	}
}

// shownAbove reports whether the program shows the text among what it was given.
func (s *Typed) shownAbove(o *sight.Observation) bool {
	l := &s.Letter
	return o.ShowsAbove(l) && profile.Times(o.Above, l.Mark) > s.of(l.Mark)
}

// answered reports whether an answer stands below a text that its program does not report: a person has entered it, and
// it stands nowhere any more.
func (s *Typed) answered(o *sight.Observation) bool {
	return !o.Profile.Reports.Prompts() && o.Profile.Answered(o.Above, s.Letter.Mark, s.of(s.Letter.Mark))
}

func (s *Typed) fateOn(o *sight.Observation) fate {
	l := &s.Letter

	switch {
	case o.On != s.On:
		return FateGone
	case o.Holds(l) && s.back(o):
		return fateBack
	case o.HoldsOnly(l) && s.recognises(o):
		return FateAlone
	case o.Composing && profile.Holds(o.Composer, l.Mark):
		return fateMixed
	case !o.Profile.HasMarkers():
		if !s.WasEntered() { // it shows no composer in which the text would be missed
			return fateHidden
		}
		return FateGone
	case s.shownAbove(o) && !s.WasEntered() && !s.answered(o):
		return fateElsewhere
	case s.shownAbove(o) && s.WasEntered() && !s.Doubted:
		return FateShown
	case !o.Composing && profile.Shown(o.Screen.Lines, l.Foot): // it may cover what shows a composer
		return fateHidden
	case !s.WasEntered() && o.Now.Sub(s.Read) < s.drawnWithin(o):
		return fateUndrawn
	}

	return FateGone
}

// drawnWithin is how long the program may take to draw the text that it has read. One that has drawn
// nothing at all since the paste may do so yet.
func (s *Typed) drawnWithin(o *sight.Observation) time.Duration {
	if !s.pasted.IsZero() && o.Screen.Drawn.Before(s.pasted) {
		return max(o.Profile.ShowWithin, shownWithin)
	}
	return o.Profile.ShowWithin
}

// Pressable reports whether the key that the text lacks may be pressed: once more by itself, and
// again when the operator asks for a retry. A text that is not seen gets it only then.
func (s *Typed) Pressable() bool {
	switch s.Fate {
	case FateAlone:
		return s.Waits() || !s.Dismissed && s.Code() != parley.EndedUndone && s.Phase != tmux.PaneEnteredAgain &&
			(s.On.Profile.HasMarkers() || !s.WasEntered())
	case fateHidden:
		return s.Waits() && !s.On.Profile.HasMarkers()
	}
	return false
}

// Hold returns why a message waits while the text may stand in the terminal; h is what else is in
// the way. It lets the message go when the text is gone, or its key may be pressed.
func (s *Typed) Hold(h sight.Hold) sight.Hold {
	elsewhere := s.Fate == fateElsewhere && !s.Waits()
	stands := s.Fate == FateAlone || s.Fate == fateMixed || s.Fate == fateHidden || elsewhere
	seenTo := s.Dismissed && (elsewhere || s.Fate == fateHidden && !s.On.Profile.HasMarkers())
	covered := s.Fate == fateHidden && h.Code() == parley.HoldUnknownScreen
	switch {
	case s.Fate == fateUndrawn && h.None():
		return sight.Held(parley.HoldNotBegun, "")
	case !stands, seenTo, !h.None() && !h.Composed() && !covered:
		return h
	case s.Pressable():
		return sight.Hold{}
	case elsewhere, s.Fate == fateHidden && !covered:
		return sight.Held(parley.HoldUnsent, parley.Short(s.Message.ID))
	}
	return sight.Held(parley.HoldOwnText, "")
}
