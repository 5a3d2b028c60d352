package tui

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// A person who pressed c begins to write. The words must not be taken for keys that
// pause, stop or launch.
func TestWriteWithoutRecipientAsksForNames(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24)
	s.press("5", "c")
	if got := s.m.scope(); got != room.InTo {
		t.Fatalf("keys go to %v, want those who get it", got)
	}
	s.typed("all, pLease")
	if s.service.paused != nil || s.m.room.Keys.Prompt != nil {
		t.Errorf("words were taken for keys:\n%s", s.text())
	}
}

func TestUnansweredRequestIsRetriedOrDismissed(t *testing.T) {
	f := busyTeam()
	f.needs = nil
	f.need(parley.NeedUnanswered, "coder", "gave no answer to message 5f0c0006", "parley retry 5f0c0006", "Ask again.")
	f.needs[0].MessageID = "5f0c0006-1111-4111-8111-111111111111"
	s := newScreen(t, f, 80, 24)
	s.press("4")
	s.shows("↯ unanswered coder", "enter ask again · x dismiss")
	s.press("enter", "x")
	s.did("retry " + f.needs[0].MessageID + " " + agentID("coder") + ", dismiss " + f.needs[0].MessageID)
}

// The end of a terminal is what matters.
func TestDialogShowsItsQuestion(t *testing.T) {
	f := busyTeam()
	var screen []string
	for i := range 11 {
		screen = append(screen, fmt.Sprint("talk before it ", i))
	}

	f.needs = nil
	f.need(
		parley.NeedDialog,
		"coder",
		"a dialog is open in its terminal; 109 messages wait for it",
		"parley attach coder",
		"Answer it there; parley never answers one.",
		append(screen, "May I go on with this?", "❯ 1. Yes  2. No")...)

	for _, size := range sizes {
		s := newScreen(t, f, size[0], size[1])
		s.press("4")
		s.shows("May I go on with this?", "❯ 1. Yes", "→ Answer it there")
		s.fits("4")
	}
}

func TestTooSmallNoticeIsASCIIWhereNeeded(t *testing.T) {
	s := newScreen(t, busyTeam(), 50, 15, func(o *Options) { o.ASCII = true })
	for _, r := range s.m.View().Content {
		if r >= utf8.RuneSelf {
			t.Fatalf("it holds %q", r)
		}
	}
	if !strings.Contains(s.text(), "needs 60x20") {
		t.Errorf("it does not say what it needs:\n%s", s.text())
	}
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.shows("1 Traffic")
}

// What a person typed while the screen started counts, in its order, once the size of the terminal is known.
func TestKeysBeforeTheSizeIsKnownCount(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	s.m.start.sized, s.m.layout = false, kit.Layout{}
	for _, key := range []string{"4", "1", "b", "h", "i"} {
		s.press(key)
	}
	s.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	s.shows("▸1 Traffic", "To all agents", "  hi")
}

// Keys that were pressed as the window shrank belong to the draft only.
func TestTextTypedIntoAShrinkingWindowIsKept(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24)
	s.press("b")
	s.typed("it is ")
	s.send(tea.WindowSizeMsg{Width: 30, Height: 8})
	s.shows("ctrl+c")
	s.enters("quite p")
	s.send(tea.PasteMsg{Content: "ossible"})
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.shows("it is quite possible")
	if s.quit || len(s.service.casts) > 0 || s.service.paused != nil {
		t.Error("keys that nobody could see did something")
	}
}
