package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux"
)

func TestFateOfAStrandedText(t *testing.T) {
	footer := "(ann · msg 5f0c21aa)"
	for _, c := range []struct {
		name    string
		profile string
		scene   func(*stage, *typed)
		want    fate
		press   bool
		hold    parley.ReasonCode // with nothing else in the way
	}{
		{"pasted, alone", framedText, func(s *stage, l *typed) { s.composer = testText }, fateAlone, true, ""},
		{"entered, alone", framedText,
			func(s *stage, l *typed) { s.composer, l.phase = testText, tmux.PaneEntered }, fateAlone, true, ""},
		{"entered twice, alone", framedText,
			func(s *stage, l *typed) { s.composer, l.phase = testText, tmux.PaneEnteredAgain },
			fateAlone, false, parley.HoldOwnText},
		{"entered twice, and retried", framedText, func(s *stage, l *typed) {
			s.composer, l.phase, l.State = testText, tmux.PaneEnteredAgain, parley.DeliveryQueued
		}, fateAlone, true, ""},
		{"entered, gone, and back", framedText,
			func(s *stage, l *typed) { s.composer, l.phase, l.left = testText, tmux.PaneEntered, true },
			fateBack, false, parley.HoldRecalled},
		{"entered, shown, and back", framedText, func(s *stage, l *typed) {
			s.composer, s.above, l.phase = testText, []string{"> hello " + footer}, tmux.PaneEntered
		}, fateBack, false, parley.HoldRecalled},
		{"never entered, shown, and back", framedText, func(s *stage, l *typed) {
			s.composer, s.above = testText, []string{"> hello " + footer}
		}, fateBack, false, parley.HoldRecalled},
		{"back among a person's own", framedText,
			func(s *stage, l *typed) { s.composer, l.phase, l.left = "no: "+testText, tmux.PaneEntered, true },
			fateBack, false, parley.HoldRecalled},
		{"back, and retried", framedText, func(s *stage, l *typed) {
			s.composer, l.phase, l.left, l.State = testText, tmux.PaneEntered, true, parley.DeliveryQueued
		}, fateAlone, true, ""},
		{"dismissed", framedText,
			func(s *stage, l *typed) { s.composer, l.Dismissed = testText, true }, fateAlone, false,
			parley.HoldOwnText},
		{"with a person's text", framedText,
			func(s *stage, l *typed) { s.composer = "mine " + testText }, fateMixed, false, parley.HoldOwnText},
		{"with a person's text in another script", framedText,
			func(s *stage, l *typed) { s.composer = testText + " подожди" }, fateMixed, false, parley.HoldOwnText},
		{"above the composer", framedText, func(s *stage, l *typed) {
			s.above, l.phase = []string{"> hello " + footer}, tmux.PaneEntered
		}, fateShown, false, ""},
		{"above the composer, never entered", framedText,
			func(s *stage, l *typed) { s.above = []string{"> hello " + footer} }, fateElsewhere, false,
			parley.HoldUnsent},
		{"above the composer, never entered, dismissed", framedText, func(s *stage, l *typed) {
			s.above, l.Dismissed = []string{"> hello " + footer}, true
		}, fateElsewhere, false, ""},
		{"above the composer, never entered, retried", framedText, func(s *stage, l *typed) {
			s.above, l.State = []string{"> hello " + footer}, parley.DeliveryQueued
		}, fateElsewhere, false, ""},
		{"above the composer from an earlier time", framedText, func(s *stage, l *typed) {
			s.above = []string{"> hello " + footer, "sign in first"}
			s.looked()
			*l = *s.attempt.text.strand(store.Job{Key: l.Key}, s.attempt, tmux.Outcome{Phase: tmux.Entered})
		}, fateGone, false, ""},
		{"above the composer once more", framedText, func(s *stage, l *typed) {
			s.above = []string{"> hello " + footer}
			s.looked()
			*l = *s.attempt.text.strand(store.Job{Key: l.Key}, s.attempt, tmux.Outcome{Phase: tmux.Entered})
			s.above = append(s.above, s.above...)
		}, fateShown, false, ""},
		{"where no composer shows", framedText,
			func(s *stage, l *typed) { s.composer, s.above = "-", []string{testText} }, fateHidden, false,
			parley.HoldUnsent},
		{"nowhere", framedText, func(*stage, *typed) {}, fateGone, false, ""},
		{"not drawn yet", framedText,
			func(s *stage, l *typed) { l.read = s.now.Add(-time.Second) }, fateUndrawn, false, parley.HoldNotBegun},
		{"read now", framedText,
			func(s *stage, l *typed) { l.read = time.Time{} }, fateUndrawn, false, parley.HoldNotBegun},
		{"entered, not drawn yet", framedText,
			func(s *stage, l *typed) { l.read, l.phase = s.now, tmux.PaneEntered }, fateGone, false, ""},
		{"on another terminal", framedText,
			func(s *stage, l *typed) { s.composer, l.on = testText, &team.Terminal{} }, fateGone, false,
			parley.HoldRecalled},
		{"unseen, pasted", plainText, func(*stage, *typed) {}, fateHidden, false, parley.HoldUnsent},
		{"unseen, pasted, retried", plainText,
			func(s *stage, l *typed) { l.State = parley.DeliveryQueued }, fateHidden, true, ""},
		{"unseen, pasted, dismissed", plainText,
			func(s *stage, l *typed) { l.Dismissed = true }, fateHidden, false, ""},
		{"unseen, entered", plainText,
			func(s *stage, l *typed) { l.phase = tmux.PaneEntered }, fateGone, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.profile)
			l := &typed{on: s.on, letter: s.attempt.text.letter, read: s.now.Add(-time.Minute),
				stranded: stranded{phase: tmux.PanePasted}}
			l.Key, l.State = s.attempt.text.Key, parley.DeliveryUnconfirmed
			c.scene(s, l)
			l.see(s.observation(), false)
			if l.fate != c.want || l.pressable() != c.press {
				t.Errorf("fate %d, pressable %v; want %d, %v", l.fate, l.pressable(), c.want, c.press)
			}
			h := sight.Hold{}
			if s.composer == testText || strings.Contains(s.composer, testMark) {
				h = sight.Held(parley.HoldRecalled, "") // as every text of parley's that stands there
			}
			if got := l.hold(h).Code(); got != c.hold {
				t.Errorf("held by %q, want %q", got, c.hold)
			}
			if got := l.hold(sight.Held(parley.HoldDialog, "")).Code(); got != parley.HoldDialog {
				t.Errorf("in front of a dialog: held by %q", got)
			}
		})
	}
}
