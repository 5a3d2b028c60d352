package tui

import (
	"fmt"
	"strings"
	"testing"
)

// takes presses the key that a text on the screen names: whoever has not read the help has only that.
func (s *stage) takes(offer string) {
	s.t.Helper()
	if !strings.Contains(s.text(), offer) {
		s.t.Fatalf("the screen does not offer %q:\n%s", offer, s.text())
	}
	key, _, _ := strings.Cut(offer, " ")
	s.press(key)
}

// A person who has never read the help answers a question, finds agent 47 of 60, reads what it has changed, comments
// it, and merges it. Each key stands on the screen when it is pressed.
func TestTheFirstDayNeedsNoHelp(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {180, 48}} {
		f := crowd(60)
		s := newScreen(t, f, size[0], size[1], func(o *Options) { o.Open.Screen = "agents" })
		s.shows("! 5 need you")
		s.takes("4 Needs you 5")
		s.shows("May I go on with this?", "1  Yes")
		s.takes("enter answer")
		s.takes("1  Yes")
		if got := strings.Join(f.pleas, ", "); !strings.Contains(got, "answer") {
			t.Errorf("at %v nothing was answered: %q", size, got)
		}

		s.takes("' go to")
		s.typed("47")
		s.takes("enter go")
		if got := s.marked(); got != "docs-writer-47" {
			t.Errorf("at %v the marker is on %s", size, got)
		}

		s.takes("d review")
		s.shows("Review of docs-writer-47", "errEmpty")
		s.takes("n next change")
		s.takes("c comment")
		s.typed("Why is that gone?")
		s.takes("enter accept")
		s.shows("» Why is that gone?")
		s.takes("r send")
		s.shows("Why is that gone?")
		s.takes("enter send")
		s.shows("Sent review to docs-writer-47")

		s.takes("m merge")
		s.shows("2 commits that main lacks")
		s.takes("2  a merge commit")
		s.shows("merged into main")
		if len(f.finished) != 1 || len(f.sent) != 1 {
			t.Errorf("at %v: sent %d, did %s", size, len(f.sent), fmt.Sprint(f.finished))
		}
	}
}
