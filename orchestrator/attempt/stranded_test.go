package attempt

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
		scene   func(*stage, *Typed)
		want    fate
		press   bool
		hold    parley.ReasonCode // with nothing else in the way
	}{
		{"pasted, alone", framedText, func(s *stage, l *Typed) { s.composer = testText }, FateAlone, true, ""},
		{"entered, alone", framedText,
			func(s *stage, l *Typed) { s.composer, l.Phase = testText, tmux.PaneEntered }, FateAlone, true, ""},
		{"entered twice, alone", framedText,
			func(s *stage, l *Typed) { s.composer, l.Phase = testText, tmux.PaneEnteredAgain },
			FateAlone, false, parley.HoldOwnText},
		{"entered twice, and retried", framedText, func(s *stage, l *Typed) {
			s.composer, l.Phase, l.State = testText, tmux.PaneEnteredAgain, parley.DeliveryQueued
		}, FateAlone, true, ""},
		{"entered, gone, and back", framedText,
			func(s *stage, l *Typed) { s.composer, l.Phase, l.Left = testText, tmux.PaneEntered, true },
			fateBack, false, parley.HoldRecalled},
		{"entered, shown, and back", framedText, func(s *stage, l *Typed) {
			s.composer, s.above, l.Phase = testText, []string{"> hello " + footer}, tmux.PaneEntered
		}, fateBack, false, parley.HoldRecalled},
		{"never entered, shown, and back", framedText, func(s *stage, l *Typed) {
			s.composer, s.above = testText, []string{"> hello " + footer}
		}, fateBack, false, parley.HoldRecalled},
		{"back among a person's own", framedText,
			func(s *stage, l *Typed) { s.composer, l.Phase, l.Left = "no: "+testText, tmux.PaneEntered, true },
			fateBack, false, parley.HoldRecalled},
		{"back, and retried", framedText, func(s *stage, l *Typed) {
			s.composer, l.Phase, l.Left, l.State = testText, tmux.PaneEntered, true, parley.DeliveryQueued
		}, FateAlone, true, ""},
		{"dismissed", framedText,
			func(s *stage, l *Typed) { s.composer, l.Dismissed = testText, true }, FateAlone, false,
			parley.HoldOwnText},
		{"with a person's text", framedText,
			func(s *stage, l *Typed) { s.composer = "mine " + testText }, fateMixed, false, parley.HoldOwnText},
		{"with a person's text in another script", framedText,
			func(s *stage, l *Typed) { s.composer = testText + " подожди" }, fateMixed, false, parley.HoldOwnText},
		{"above the composer", framedText, func(s *stage, l *Typed) {
			s.above, l.Phase = []string{"> hello " + footer}, tmux.PaneEntered
		}, FateShown, false, ""},
		{"above the composer, never entered", framedText,
			func(s *stage, l *Typed) { s.above = []string{"> hello " + footer} }, fateElsewhere, false,
			parley.HoldUnsent},
		{"above the composer, never entered, dismissed", framedText, func(s *stage, l *Typed) {
			s.above, l.Dismissed = []string{"> hello " + footer}, true
		}, fateElsewhere, false, ""},
		{"above the composer, never entered, retried", framedText, func(s *stage, l *Typed) {
			s.above, l.State = []string{"> hello " + footer}, parley.DeliveryQueued
		}, fateElsewhere, false, ""},
		{"above the composer from an earlier time", framedText, func(s *stage, l *Typed) {
			s.above = []string{"> hello " + footer, "sign in first"}
			s.looked()
			*l = *s.attempt.Text.Strand(store.Job{Key: l.Key}, s.attempt, tmux.Outcome{Phase: tmux.Entered})
		}, FateGone, false, ""},
		{"above the composer once more", framedText, func(s *stage, l *Typed) {
			s.above = []string{"> hello " + footer}
			s.looked()
			*l = *s.attempt.Text.Strand(store.Job{Key: l.Key}, s.attempt, tmux.Outcome{Phase: tmux.Entered})
			s.above = append(s.above, s.above...)
		}, FateShown, false, ""},
		{"where no composer shows", framedText,
			func(s *stage, l *Typed) { s.composer, s.above = "-", []string{testText} }, fateHidden, false,
			parley.HoldUnsent},
		{"nowhere", framedText, func(*stage, *Typed) {}, FateGone, false, ""},
		{"not drawn yet", framedText,
			func(s *stage, l *Typed) { l.Read = s.now.Add(-time.Second) }, fateUndrawn, false, parley.HoldNotBegun},
		{"read now", framedText,
			func(s *stage, l *Typed) { l.Read = time.Time{} }, fateUndrawn, false, parley.HoldNotBegun},
		{"entered, not drawn yet", framedText,
			func(s *stage, l *Typed) { l.Read, l.Phase = s.now, tmux.PaneEntered }, FateGone, false, ""},
		{"on another terminal", framedText,
			func(s *stage, l *Typed) { s.composer, l.On = testText, &team.Terminal{} }, FateGone, false,
			parley.HoldRecalled},
		{"unseen, pasted", plainText, func(*stage, *Typed) {}, fateHidden, false, parley.HoldUnsent},
		{"unseen, pasted, retried", plainText,
			func(s *stage, l *Typed) { l.State = parley.DeliveryQueued }, fateHidden, true, ""},
		{"unseen, pasted, dismissed", plainText,
			func(s *stage, l *Typed) { l.Dismissed = true }, fateHidden, false, ""},
		{"unseen, entered", plainText,
			func(s *stage, l *Typed) { l.Phase = tmux.PaneEntered }, FateGone, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.profile)
			l := &Typed{On: s.on, Letter: s.attempt.Text.Letter, Read: s.now.Add(-time.Minute),
				Stranded: Stranded{Phase: tmux.PanePasted}}
			l.Key, l.State = s.attempt.Text.Key, parley.DeliveryUnconfirmed
			c.scene(s, l)
			l.See(s.observation(), false)
			if l.Fate != c.want || l.Pressable() != c.press {
				t.Errorf("fate %d, pressable %v; want %d, %v", l.Fate, l.Pressable(), c.want, c.press)
			}
			h := sight.Hold{}
			if s.composer == testText || strings.Contains(s.composer, testMark) {
				h = sight.Held(parley.HoldRecalled, "") // as every text of parley's that stands there
			}
			if got := l.Hold(h).Code(); got != c.hold {
				t.Errorf("held by %q, want %q", got, c.hold)
			}
			if got := l.Hold(sight.Held(parley.HoldDialog, "")).Code(); got != parley.HoldDialog {
				t.Errorf("in front of a dialog: held by %q", got)
			}
		})
	}
}
