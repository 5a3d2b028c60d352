package tui

import (
	"testing"

	"parley"
)

func TestUndoWorksAfterADeclinedQuestion(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.choose("coder")
	s.press("S", "n")
	s.shows("Cancelled.")
	s.press("p", "y")
	s.shows("Messages are paused. u resumes them.")
	s.press("u")
	if f.paused != nil {
		t.Errorf("u did nothing:\n%s", s.text())
	}
}

func TestUndoDoesNotWaitForAnExplanation(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("p", "y")
	s.shows("u resumes them.")
	letThrough := s.heldBack()
	s.press("i", "u")
	letThrough()
	s.press("esc")
	if f.paused != nil {
		t.Errorf("u was lost:\n%s", s.text())
	}
}

func TestAnErrorBehindAQuestionIsShownAfterIt(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	letThrough := s.heldBack()
	s.press("p", "y")
	s.choose("coder")
	s.press("S")
	f.err = parley.Errorf(parley.RateLimited, "the disk is full")
	letThrough()
	f.err = nil
	s.hides("the disk is full")
	s.press("n")
	s.shows("the disk is full")
}

func TestAnUndoThatFailedCanBeRepeated(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("p", "y")
	s.shows("u resumes them.")
	f.err = parley.Errorf(parley.RateLimited, "too many calls")
	s.press("u")
	s.shows("too many calls")

	f.err = nil
	s.press("u")
	if f.paused != nil {
		t.Errorf("it is not undone the second time:\n%s", s.text())
	}
}

func TestAPageDoesNotTakeTheWordsOfADraft(t *testing.T) {
	s, _ := newBusyScreen(t, 120, 40)
	letThrough := s.heldBack()
	s.press("i", "b")
	s.typed("please ")
	letThrough()
	s.typed("stop")
	if got := s.box(); got != "please stop" {
		t.Errorf("the box has %q:\n%s", got, s.text())
	}
}
