package attempt

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/tmux"
)

func TestQuestionsOfAnUnknownProgramHold(t *testing.T) {
	for _, c := range []struct {
		screen string
		hides  bool
		want   parley.ReasonCode
	}{
		{"Delete? [y/N] ", false, parley.HoldQuestion},
		{"Password: ", false, parley.HoldSecret},
		{"", true, parley.HoldSecret},
		{">>> ", false, ""},
	} {
		s := newStage(t, plainText)
		screen := tmux.Screen{Lines: []string{c.screen}, Width: 80, CursorX: len(c.screen)}
		got := sight.QuestionOf(s.profile.Asks(sight.ScreenOf(screen)), c.hides)
		if got.Code != c.want {
			t.Errorf("%q: got %+v, want %q", c.screen, got, c.want)
		}
		if h := got.Hold(); h.Code() != c.want ||
			!strings.Contains(h.Words(), strings.TrimSpace(c.screen)) && c.want != "" {
			t.Errorf("%q: held by %+v", c.screen, h)
		}
	}
}

// A dialog swallows a text, and Enter would answer it.
func TestEnterIsWithheldWhileAnUnknownProgramShowsNothingOfTheText(t *testing.T) {
	s := newStage(t, plainText)
	s.tty = sight.TTYMode{Canonical: false, Known: true}
	s.composer = "| a screen without it"
	if step, after := s.until(tmux.Pasted, false); step.Do != tmux.Stop || step.Reason != tmux.NotShown ||
		after < 10*time.Second {
		t.Errorf("got %+v after %v, want that it stops because the text is not shown", step, after)
	}

	s = newStage(t, plainText)
	s.tty = sight.TTYMode{Canonical: false, Known: true}
	s.composer = testText + " |"
	if step, _ := s.until(tmux.Pasted, false); step.Do != tmux.Press {
		t.Errorf("got %+v for a text that is shown, want Enter", step)
	}
}

func TestQuestionAfterThePasteWithholdsEnter(t *testing.T) {
	s := newStage(t, plainText)
	s.composer = "Go on? [y/N] "
	if step := s.step(tmux.Pasted, false); step.Do != tmux.Stop || step.Reason != tmux.Blocked {
		t.Errorf("got %+v, want that Enter is withheld", step)
	}
}
